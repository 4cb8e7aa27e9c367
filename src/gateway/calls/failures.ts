import type { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import type { ServerError } from '../../model/server-result.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import { INVALID_PARAMS } from '../../wire/rpc-codes.js';
import type { Clean } from '../clean.js';
import { withoutOurs } from './own-words.js';

/** How a call ended, for clients that act on it: `unknown` means that the server may have run it. */
export const OUTCOME = 'plugboard/outcome';
/** `new`: what earlier calls have left on the server is gone. */
export const LANE = 'plugboard/lane';

/** An error of a server, as it sent it but for hidden characters. One that says nothing is told in our words. */
export function toServerFailure(
  { code, message, data }: ServerError,
  { server, clean }: { readonly server: string; readonly clean: Clean },
): JsonRpcFailure {
  const { data: own, message: text } = clean({ data, message });
  const isSilent = text.trim() === '';
  return new JsonRpcFailure(
    code,
    isSilent ? `Server "${server}" answered with an error that says nothing` : text,
    withoutOurs(own),
  );
}

/** A failure of ours as a JSON-RPC error: for requests whose results cannot say that they failed. */
export function toRpcFailure(error: HostError, outcome: 'error' | 'unknown'): JsonRpcFailure {
  const { code, hint, message } = error;
  const data = { code, ...(hint !== undefined && { hint }), [OUTCOME]: outcome };
  return new JsonRpcFailure(
    CODES.get(code) ?? INTERNAL_ERROR,
    hint === undefined ? message : `${message}. ${hint}`,
    data,
  );
}

export function invalidParams(message: string): JsonRpcFailure {
  return new JsonRpcFailure(INVALID_PARAMS, message);
}

/** A text of the parameters that is needed; bounded, because it is looked up and told. */
export function textParam(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value === 'string' && value.length <= TEXT_LIMIT) return value;
  throw invalidParams(`"${name}" has to be a string of at most ${TEXT_LIMIT} characters`);
}

/** An object of the parameters; empty where it is absent. */
export function objectParam(params: JsonObject, name: string): JsonObject {
  const value = params[name];
  if (value === undefined) return {};
  if (isObject(value)) return value;
  throw invalidParams(`"${name}" has to be an object`);
}

const CODES: ReadonlyMap<string, number> = new Map([
  ['bad-input', INVALID_PARAMS],
  ['unknown-resource', INVALID_PARAMS],
  ['unknown-server', INVALID_PARAMS],
  ['unknown-tool', INVALID_PARAMS],
  ['unsupported', -32_601],
]);
const INTERNAL_ERROR = -32_603;
const TEXT_LIMIT = 8_192; // as long as the longest URIs
