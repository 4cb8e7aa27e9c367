import type { JsonObject } from '../../base/json.js';
import type { CallContext } from '../../model/tool.js';
import type { CallOptions } from '../../wire/peer.js';
import type { Connection } from '../connect.js';

/** What the caller of a request adds to it; most add nothing. */
export type RequestExtras = Pick<CallContext, 'relay' | 'task' | 'meta' | 'logLevel'>;

/** The extras of a call; undefined where it has none, so that such a call costs nothing more. */
export function extrasOf({ relay, task, meta, logLevel }: RequestExtras): RequestExtras | undefined {
  return relay || task || meta || logLevel !== undefined ? { relay, task, meta, logLevel } : undefined;
}

/** The params with what the caller adds to them. */
export function withExtras(params: object, extras: RequestExtras | undefined, { session }: Connection): object {
  if (!extras) return params;
  const { relay, meta } = extras;
  const own = meta && ownMeta(meta);
  // A legacy server asks by requests of its own, and knows neither of the two fields.
  const { inputResponses, requestState } = session.era === 'modern' && relay ? relay : NO_ANSWERS;
  return {
    ...params,
    ...(inputResponses && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
    ...(own && { _meta: own }),
  };
}

/** The options with what the caller wants of the request. */
export function extraOptions(extras: RequestExtras | undefined): Pick<CallOptions, 'relaysInput' | 'logLevel'> {
  return extras ? { relaysInput: extras.relay !== undefined, logLevel: extras.logLevel } : NO_OPTIONS;
}

/** Whether a result is what the server asks, relayed to the caller. */
export function isRelayed(result: JsonObject): boolean {
  return result['resultType'] === 'input_required';
}

/** Without the keys that belong to the connection: our own are sent. */
function ownMeta(meta: JsonObject): JsonObject | undefined {
  const entries = Object.entries(meta).filter(([key]) => key !== 'progressToken' && !key.startsWith(PROTOCOL));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

const PROTOCOL = 'io.modelcontextprotocol/';
const NO_ANSWERS: NonNullable<CallContext['relay']> = {};
const NO_OPTIONS: Pick<CallOptions, 'relaysInput' | 'logLevel'> = {};
