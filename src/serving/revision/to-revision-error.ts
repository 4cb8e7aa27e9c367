import { isObject, type JsonObject } from '../../base/json.js';
import { shorten } from '../../base/shorten.js';
import type { JsonRpcError } from '../../wire/message.js';
import { HEADER_MISMATCH, INVALID_PARAMS, MISSING_CAPABILITY, UNSUPPORTED_VERSION } from '../../wire/rpc-codes.js';
import { isModernRevision } from './revisions.js';

/** An error of a server, for a client of a revision. */
export interface ServedError {
  readonly method: string;
  readonly error: JsonRpcError;
  readonly revision: string;
}

/** The error of a server as a client of this revision knows it; the same object where nothing has to change. */
export function toRevisionError({ method, error, revision }: ServedError): JsonRpcError {
  const { code, data } = error;
  const isRead = READS.has(method);
  if (isModernRevision(revision)) return isRead && code === NOT_FOUND ? { ...error, code: INVALID_PARAMS } : error;
  switch (code) {
    case INVALID_PARAMS:
      // A reason is ours, and no resource is missing then: a request that was changed, or came too late.
      return isRead && !(isObject(data) && 'reason' in data) ? { ...error, code: NOT_FOUND } : error;
    case MISSING_CAPABILITY:
      return { ...error, code: INTERNAL, message: lacking(data) };
    case HEADER_MISMATCH:
    case UNSUPPORTED_VERSION:
      // Between us and the server: the client sent neither of these headers.
      return { ...error, code: INTERNAL };
    default:
      return error;
  }
}

/** Which capabilities the client lacks: `elicitation (url)`. */
function lacking(data: unknown): string {
  const required = isObject(data) ? data['requiredCapabilities'] : undefined;
  const names = isObject(required)
    ? Object.keys(required)
        .slice(0, NAMED)
        .map((name) => named(name, required))
    : [];
  return names.length === 0
    ? 'Your client lacks a capability that this request needs'
    : `Your client lacks what this request needs: ${names.join(', ')}`;
}

function named(name: string, required: JsonObject): string {
  const parts = required[name];
  const details = isObject(parts) ? Object.keys(parts).slice(0, NAMED) : [];
  return shorten(details.length === 0 ? name : `${name} (${details.join(', ')})`, 200);
}

/** https://modelcontextprotocol.io/specification/2025-11-25/server/resources#error-handling */
const NOT_FOUND = -32002;
const INTERNAL = -32603;
const READS: ReadonlySet<string> = new Set(['resources/read', 'resources/directory/read']);
const NAMED = 10;
