/** Our ids are integers; a server may use strings for its own requests. */
export type RequestId = number | string;

/** A message that has no response. */
export interface JsonRpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: object | undefined;
}

/** A message that asks for a response. */
export interface JsonRpcRequest extends JsonRpcNotification {
  readonly id: RequestId;
}

/** The message that answers a request. */
export type JsonRpcResponse =
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly result: object }
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly error: JsonRpcError };

/** The error object of a response: https://www.jsonrpc.org/specification#error_object */
export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Any message of JSON-RPC. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;
