// https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
import { isObject } from '../../base/json.js';
import type { JsonObject } from '../message.js';
import type { Line, Watch } from './era.js';
import { concerns } from './watched-resource.js';

/** What a legacy server tells: changes of lists by itself, changes of a resource to those who subscribed to it. */
export class LegacyWatch {
  readonly #line: Line;
  readonly #tell: (method: string, params: JsonObject) => void;
  #resources: ReadonlySet<string> = new Set();

  constructor(line: Line, tell: (method: string, params: JsonObject) => void) {
    this.#line = line;
    this.#tell = tell;
  }

  hear(method: string, params: JsonObject): void {
    if (method === 'notifications/resources/updated' && !concerns(params, this.#resources)) return;
    this.#tell(method, params);
  }

  async set({ resources = [] }: Watch, capabilities: JsonObject): Promise<void> {
    const before = this.#resources;
    const wanted = new Set(resources);
    this.#resources = wanted;
    const added = [...wanted].filter((uri) => !before.has(uri));
    const dropped = [...before].filter((uri) => !wanted.has(uri));
    await Promise.all([
      ...added.map((uri) => this.#ask('resources/subscribe', uri, capabilities)),
      ...dropped.map((uri) => this.#ask('resources/unsubscribe', uri, capabilities)),
    ]);
  }

  /** After a new handshake. */
  async renew(capabilities: JsonObject): Promise<void> {
    await Promise.all([...this.#resources].map((uri) => this.#ask('resources/subscribe', uri, capabilities)));
  }

  async #ask(method: string, uri: string, { resources }: JsonObject): Promise<void> {
    const { peer } = this.#line;
    if (!isObject(resources) || resources['subscribe'] !== true) return;
    try {
      await peer.request(method, { uri });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      peer.note({ kind: 'stream-off', text: `changes of a resource will not be told: ${why}` });
    }
  }
}
