import type { JsonObject } from '../base/json.js';
import type { HostError } from '../base/errors.js';

/**
 * What a server itself answered, as it came: for whoever hands it on, a gateway or a console. Nothing of it has passed the text gate; what the
 * server was told in confidence is redacted. A value that was too large for memory is a `Spilled`, which names its file.
 */
export interface ServerResult {
  /** The result of the answer, with `_meta` and unknown fields. */
  readonly result?: JsonObject;
  /** The error of the answer, in place of a result; the message is cut. */
  readonly error?: ServerError;
  /** The answer by which the call became a task; what came of the task is the result, or the error. */
  readonly task?: JsonObject;
}

export interface ServerError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The server's own error; undefined where the server did not answer, or answered something that is no error. */
export function toServerError({ detail }: HostError): ServerError | undefined {
  if (detail?.kind !== 'rpc') return undefined;
  const { code, message = '', data } = detail;
  return { code, message, ...(data !== undefined && { data }) };
}
