// https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta
import type { JsonObject } from '../../base/json.js';
import type { Implementation } from '../../model/implementation.js';

/** The versions of the modern era that we support, best first. */
export const MODERN_VERSIONS = ['2026-07-28'] as const;

export const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
export const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The `_meta` of every request: client and capabilities, since a modern server keeps no session. */
export class Envelope {
  readonly version: string;
  readonly #meta: JsonObject;

  constructor(version: string, client: Implementation, capabilities: JsonObject) {
    this.version = version;
    this.#meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': client,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    };
  }

  around(params: object | undefined): JsonObject {
    // `_meta` comes first: V8 takes ten times as long to add a property after a spread.
    if (params === undefined || !('_meta' in params)) return { _meta: this.#meta, ...params };
    const own = params['_meta'];
    const meta = typeof own === 'object' && own !== null ? { ...own, ...this.#meta } : this.#meta;
    return { ...params, _meta: meta };
  }
}

/** The value of this key in the message's `_meta`. */
export function readMeta(message: JsonObject, key: string): unknown {
  const { _meta: meta } = message;
  return typeof meta === 'object' && meta !== null ? (meta as JsonObject)[key] : undefined;
}
