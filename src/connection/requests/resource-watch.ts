// https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import type { Clock } from '../../model/clock.js';
import type { ListName } from '../../wire/eras/era.js';
import type { Connection } from '../connect.js';

/** Called with the URI under which the changed resource is watched. Contract: must not throw. */
export type ResourceListener = (uri: string) => void;

/**
 * Subscriptions of one server: always its lists, and the resources that callers watch. Both are sent together, because
 * the latest subscription replaces the previous one; a new connection gets everything again.
 */
export class ResourceWatch {
  readonly #clock: Clock;
  readonly #listeners = new Map<string, Set<ResourceListener>>();
  /** Changed resources whose listeners have not been called yet. */
  readonly #changed = new Set<string>();
  #isWaiting = false;
  #link: Connection | undefined;
  #settling: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get uris(): readonly string[] {
    return [...this.#listeners.keys()];
  }

  /** Subscribes on a new connection. Changes meanwhile are unknown, so all listeners are called. Never rejects. */
  async attach(connection: Connection): Promise<void> {
    this.#link = connection;
    this.missed();
    await this.#tell();
  }

  detach(): void {
    this.#link = undefined;
  }

  /** Changes may have been missed: calls all listeners. */
  missed(): void {
    for (const uri of this.#listeners.keys()) this.#mark(uri);
  }

  /** Handles notifications/resources/updated. */
  hear({ uri }: JsonObject): void {
    if (typeof uri !== 'string') return;
    for (const watched of this.#listeners.keys()) if (isPartOf(uri, watched)) this.#mark(watched);
  }

  /**
   * Watches a resource, also across reconnects. Resolves when the server has been asked to notify. Throws a HostError
   * beyond `WATCH_LIMIT` resources.
   */
  async watch(uri: string, listener: ResourceListener): Promise<AsyncDisposable> {
    const known = this.#listeners.get(uri);
    if (!known && this.#listeners.size >= WATCH_LIMIT) {
      throw new HostError('overloaded', `${WATCH_LIMIT} resources of one server are watched already`, {
        hint: 'Stop watching some of them, or watch what they are part of',
      });
    }
    const listeners = known ?? new Set();
    this.#listeners.set(uri, listeners);
    // A new function, so that the same listener can watch twice.
    const entry: ResourceListener = (changed) => listener(changed);
    listeners.add(entry);
    if (!known) await this.#settle();
    return { [Symbol.asyncDispose]: () => this.#forget(uri, entry) };
  }

  async #forget(uri: string, entry: ResourceListener): Promise<void> {
    const listeners = this.#listeners.get(uri);
    if (listeners?.delete(entry) !== true || listeners.size > 0) return;
    this.#listeners.delete(uri);
    this.#changed.delete(uri);
    await this.#settle();
  }

  /** One request for all watches that begin or end in one turn of the event loop. */
  #settle(): Promise<void> {
    this.#settling ??= new Promise<void>((resolve) => {
      this.#clock.soon(() => {
        this.#settling = undefined;
        void this.#tell().then(resolve);
      });
    });
    return this.#settling;
  }

  async #tell(): Promise<void> {
    await this.#link?.session.watch({ lists: LISTS, resources: this.uris });
  }

  #mark(uri: string): void {
    this.#changed.add(uri);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#clock.after(TOGETHER_MS, () => {
      this.#isWaiting = false;
      const changed = [...this.#changed];
      this.#changed.clear();
      for (const one of changed) for (const tell of this.#listeners.get(one) ?? []) tell(one);
    });
  }
}

/** Whether a server supports subscriptions to resources. */
export function canWatch({ session }: Connection): boolean {
  const { resources } = session.capabilities;
  return isObject(resources) && resources['subscribe'] === true;
}

function isPartOf(uri: string, watched: string): boolean {
  return uri === watched || uri.startsWith(watched.endsWith('/') ? watched : `${watched}/`);
}

const LISTS: readonly ListName[] = ['tools', 'prompts', 'resources'];
const WATCH_LIMIT = 1_000;
const TOGETHER_MS = 50; // writing a file changes it several times
