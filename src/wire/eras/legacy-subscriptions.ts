// https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import type { OpenPipe, SubscriptionFilter } from './era.js';
import { concerns } from './watched-resource.js';

/** Notifications of a legacy server: it announces list changes by itself, but resource changes only to subscribers. */
export class LegacySubscriptions {
  readonly #line: OpenPipe;
  readonly #tell: (method: string, params: JsonObject) => void;
  #wanted: ReadonlySet<string> = new Set();
  /** The URIs that the server has accepted a subscription for. */
  readonly #agreed = new Set<string>();
  /** Serializes requests, so that no unsubscribe overtakes its subscribe. */
  #asking: Promise<void> = Promise.resolve();

  constructor(line: OpenPipe, tell: (method: string, params: JsonObject) => void) {
    this.#line = line;
    this.#tell = tell;
  }

  onNotification(method: string, params: JsonObject): void {
    if (method === 'notifications/resources/updated' && !concerns(params, this.#wanted)) return;
    this.#tell(method, params);
  }

  set({ resources = [] }: SubscriptionFilter, capabilities: JsonObject): Promise<void> {
    this.#wanted = new Set(resources);
    return (this.#asking = this.#asking.then(() => this.#settle(capabilities)));
  }

  /** Subscribes again after a new handshake, which ends all subscriptions. */
  renew(capabilities: JsonObject): Promise<void> {
    this.#asking = this.#asking.then(() => {
      this.#agreed.clear();
      return this.#settle(capabilities);
    });
    return this.#asking;
  }

  /** Compares with `#wanted` when it runs, not when it was scheduled. */
  async #settle({ resources }: JsonObject): Promise<void> {
    if (!isObject(resources) || resources['subscribe'] !== true) return;
    const wanted = this.#wanted;
    const added = [...wanted].filter((uri) => !this.#agreed.has(uri));
    const dropped = [...this.#agreed].filter((uri) => !wanted.has(uri));
    await Promise.all([
      ...added.map(async (uri) => {
        if (await this.#ask('resources/subscribe', uri)) this.#agreed.add(uri);
      }),
      ...dropped.map(async (uri) => {
        if (await this.#ask('resources/unsubscribe', uri)) this.#agreed.delete(uri);
      }),
    ]);
  }

  async #ask(method: string, uri: string): Promise<boolean> {
    const { peer } = this.#line;
    try {
      await peer.request(method, { uri });
      return true;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const text = `it will not report changes of a resource: ${why}`;
      if (!peer.isClosed) peer.warning({ kind: 'stream-off', text, ...refusalOf(error) });
      return false;
    }
  }
}

function refusalOf(error: unknown): { readonly status?: number } {
  if (!(error instanceof HostError) || error.code !== 'unauthorized') return {};
  return error.detail?.kind === 'http' ? { status: error.detail.status } : {};
}
