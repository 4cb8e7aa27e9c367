import type { JsonObject } from '../base/json.js';
import type { HostError } from '../base/errors.js';

/**
 * A server's response as it came, for a gateway or console that passes it on. It has not passed the text gate. Secrets
 * that the server was given are redacted. A value too large for memory is a `Spilled`, which names its file.
 */
export interface ServerResult {
  /** The response's result, with `_meta` and unknown fields. */
  readonly result?: JsonObject;
  /** The response's error instead of a result; the message is truncated. */
  readonly error?: ServerError;
  /** The response that made the call a task; `result` or `error` is then the outcome of the task. */
  readonly task?: JsonObject;
}

/** The error of a server's own response. */
export interface ServerError {
  /** The JSON-RPC error code, such as -32602. */
  readonly code: number;
  /** Truncated, otherwise as the server wrote it; empty where it wrote none. */
  readonly message: string;
  /** Absent where the server sent none. */
  readonly data?: unknown;
}

/** The server's error; undefined when there was no response, or no JSON-RPC error in it. */
export function toServerError({ detail }: HostError): ServerError | undefined {
  if (detail?.kind !== 'rpc') return undefined;
  const { code, message = '', data } = detail;
  return { code, message, ...(data !== undefined && { data }) };
}
