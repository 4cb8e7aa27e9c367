import type { JsonObject } from '../base/json.js';
import { JsonRpcFailure } from '../wire/inbound.js';
import type { JsonRpcError, RequestId } from '../wire/message.js';
import type { SerializedResult } from './endpoint.js';

/** Where the messages about one request go: its HTTP response, or stdout. Contract: does not throw. */
export interface Outlet {
  /** Sends a notification or question about the request, before its response. False: the client cannot receive it here. */
  send(text: string): boolean;
  /** Sends the response; nothing follows. `status`: that of HTTP, where nothing was sent before. */
  reply(response: ResponseMessage, status?: number): void;
  /** Ends without a response, as for a request that the client cancelled. */
  drop(): void;
}

/** A response as JSON: a text, or the bytes of many clients' result with what is this client's own around them. */
export type ResponseMessage = string | SerializedResponse;

/** The response to a request whose result many clients get: nothing of it is copied for each. */
export class SerializedResponse {
  readonly parts: readonly Buffer[];

  constructor(id: RequestId, { bytes }: SerializedResult) {
    this.parts = [Buffer.from(resultResponseText(id, '').slice(0, -1)), bytes, END];
  }

  get byteLength(): number {
    return this.parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  toString(): string {
    return Buffer.concat(this.parts).toString('utf8');
  }
}

const END = Buffer.from('}');

/** The response to a request; the result is JSON already. */
export function resultResponseText(id: RequestId, json: string): string {
  return `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : JSON.stringify(id)},"result":${json}}`;
}

/** The error response to a request; `id` is null where the request had none that can be used. */
export function errorResponseText(id: RequestId | null, { code, message, data }: JsonRpcError): string {
  try {
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } });
  } catch {
    // Details that are no JSON: the client is told of the error all the same.
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
  }
}

export function notificationText(method: string, params: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

export function requestText(id: RequestId, method: string, params: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** What the client is told of a failure: what is not a `JsonRpcFailure` stays inside. */
export function toRpcError(error: unknown): JsonRpcError {
  if (!(error instanceof JsonRpcFailure)) return { code: INTERNAL_ERROR, message: 'Internal error' };
  const { code, message, data } = error;
  return { code, message, ...(data !== undefined && { data }) };
}

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INTERNAL_ERROR = -32603;

export function methodNotFound(method: string): JsonRpcFailure {
  return new JsonRpcFailure(METHOD_NOT_FOUND, `Method not found: ${method}`);
}
