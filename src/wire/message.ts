/** Our ids are integers; a server may use strings for its own requests. */
export type RequestId = number | string;

export interface JsonRpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: object | undefined;
}

export interface JsonRpcRequest extends JsonRpcNotification {
  readonly id: RequestId;
}

export type JsonRpcResponse =
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly result: object }
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly error: JsonRpcError };

export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;
