// https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta
import type { JsonObject } from '../../base/json.js';
import type { Caller } from '../../model/caller.js';
import type { Implementation } from '../../model/implementation.js';

/** The versions of the modern era that we support, best first. */
export const MODERN_VERSIONS = ['2026-07-28'] as const;

export const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
export const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
/** The `clientInfo` of the client that a request is made for, where this program stands between it and the server. */
export const CLIENT_BEHIND = 'plugboard/client';

/** Which client a server is told of: the one that it speaks with, and the one behind it. */
export interface ToldClient {
  readonly client: Implementation;
  readonly behind?: Implementation | undefined;
}

/**
 * A client with a lane of its own is one behind this program, which answers for what is sent. Other callers are told as
 * the client themselves.
 */
export function toldClient(owner: Caller | undefined, client: Implementation): ToldClient {
  if (!owner || (owner.lane ?? owner.group?.lane) === undefined) return { client: owner?.client ?? client };
  return { client: { title: TITLE, ...client }, behind: owner.client };
}

const TITLE = 'Plugboard';

/** The `_meta` of every request: client and capabilities, since a modern server keeps no session. */
export class Envelope {
  readonly version: string;
  readonly #meta: JsonObject;

  constructor(version: string, { client, behind }: ToldClient, capabilities: JsonObject) {
    this.version = version;
    this.#meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': client,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      ...(behind && { [CLIENT_BEHIND]: behind }),
    };
  }

  around(params: object | undefined, logLevel?: string): JsonObject {
    // `_meta` comes first: V8 takes ten times as long to add a property after a spread.
    const fixed = logLevel === undefined ? this.#meta : { ...this.#meta, [LOG_LEVEL]: logLevel };
    if (params === undefined || !('_meta' in params)) return { _meta: fixed, ...params };
    const own = params['_meta'];
    const meta = typeof own === 'object' && own !== null ? { ...own, ...fixed } : fixed;
    return { ...params, _meta: meta };
  }
}

/** The value of this key in the message's `_meta`. */
export function readMeta(message: JsonObject, key: string): unknown {
  const { _meta: meta } = message;
  return typeof meta === 'object' && meta !== null ? (meta as JsonObject)[key] : undefined;
}
