// Messages from a client: https://modelcontextprotocol.io/specification/2025-11-25/basic#messages
import { isObject, type JsonObject } from '../base/json.js';
import type { RequestId } from '../wire/message.js';

/** One message of a client, checked. */
export type Incoming =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'response'; readonly id: RequestId; readonly result?: unknown; readonly error?: unknown }
  /** `id`: the message's own, where it has one to answer with. */
  | { readonly kind: 'invalid'; readonly id: RequestId | null; readonly why: string };

export type RequestMessage = Extract<Incoming, { kind: 'request' }>;

/** Reads one parsed message. The id of a request is what its response has, so one that would change is refused. */
export function toIncoming(value: unknown): Incoming {
  if (!isObject(value)) return invalid(null, 'a message is an object');
  const { jsonrpc, id, method, params = NO_PARAMS } = value;
  const known = isRequestId(id) ? id : null;
  if (jsonrpc !== '2.0') return invalid(known, '"jsonrpc" has to be "2.0"');
  if (method === undefined) return toResponse(value);
  if (typeof method !== 'string' || method === '' || method.length > METHOD_LIMIT) {
    return invalid(known, `"method" has to be a name of at most ${METHOD_LIMIT} characters`);
  }
  if (!isObject(params)) return invalid(known, '"params" has to be an object');
  if (!('id' in value)) return { kind: 'notification', method, params };
  if (known === null) return invalid(null, ID_WANTED);
  return { kind: 'request', id: known, method, params };
}

function toResponse(value: JsonObject): Incoming {
  const { id, result, error } = value;
  if (result === undefined && error === undefined) {
    return invalid(isRequestId(id) ? id : null, 'it has neither a method nor a result');
  }
  if (!isRequestId(id)) return invalid(null, ID_WANTED);
  return { kind: 'response', id, result, error };
}

/** JSON.parse rounds large numbers: the client would wait for an answer to the id that it wrote. */
function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' ? id.length <= ID_LIMIT : Number.isSafeInteger(id);
}

function invalid(id: RequestId | null, why: string): Incoming {
  return { kind: 'invalid', id, why };
}

const NO_PARAMS: JsonObject = {};
const METHOD_LIMIT = 200; // characters
const ID_LIMIT = 1_000; // characters
const ID_WANTED = `"id" has to be a string of at most ${ID_LIMIT} characters or an integer below 2^53`;
