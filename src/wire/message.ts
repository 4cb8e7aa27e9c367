/** Our ids are integers; a server may use strings for its own requests. */
export type RequestId = number | string;

/** A message that has no response. */
export interface JsonRpcNotification {
  readonly jsonrpc: '2.0';
  /** Such as `notifications/cancelled`. */
  readonly method: string;
  /** Absent where the method takes none. */
  readonly params?: object | undefined;
}

/** A message that asks for a response. */
export interface JsonRpcRequest extends JsonRpcNotification {
  /** The response has the same. */
  readonly id: RequestId;
}

/** The message that answers a request. */
export type JsonRpcResponse =
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly result: object }
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly error: JsonRpcError };

/** The error object of a response: https://www.jsonrpc.org/specification#error_object */
export interface JsonRpcError {
  /** From -32768 to -32000: an error that JSON-RPC or MCP defines. */
  readonly code: number;
  /** One sentence, by the specification. */
  readonly message: string;
  /** Whatever the other side adds for programs. */
  readonly data?: unknown;
}

/** Any message of JSON-RPC. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;
