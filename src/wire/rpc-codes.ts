// https://modelcontextprotocol.io/specification/2026-07-28/schema
import { HostError } from '../base/errors.js';

export const INVALID_PARAMS = -32602;
/** The headers of a request disagree with its body. */
export const HEADER_MISMATCH = -32020;
export const MISSING_CAPABILITY = -32021;
export const UNSUPPORTED_VERSION = -32022;

/** Whether the error is a JSON-RPC error with this code. */
export function isRpc(error: unknown, code: number): error is HostError {
  return error instanceof HostError && error.detail?.kind === 'rpc' && error.detail.code === code;
}
