// https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import type { Clock } from '../../model/clock.js';
import type { ListName } from '../../wire/eras/era.js';
import type { Connection } from '../connect.js';

/** Told of a resource by the address under which it is watched. Contract: must not throw. */
export type ResourceListener = (uri: string) => void;

/**
 * All that is to be heard of one server: its lists always, and the resources that somebody watches. A server is told both
 * together, because the last that it was told holds; a line that is new is told everything again.
 */
export class ResourceWatch {
  readonly #clock: Clock;
  readonly #listeners = new Map<string, Set<ResourceListener>>();
  /** Changed, and not told yet. */
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

  /** A new line. What happened while there was none nobody has told: whoever watches something has to look. Never rejects. */
  async attach(link: Connection): Promise<void> {
    this.#link = link;
    this.missed();
    await this.#tell();
  }

  detach(): void {
    this.#link = undefined;
  }

  /** Changes may have gone by. */
  missed(): void {
    for (const uri of this.#listeners.keys()) this.#mark(uri);
  }

  /** A note of the server. What nobody watches is nobody's concern. */
  hear({ uri }: JsonObject): void {
    if (typeof uri !== 'string') return;
    for (const watched of this.#listeners.keys()) if (isPartOf(uri, watched)) this.#mark(watched);
  }

  /**
   * Watches a resource, also over lines that come later. Resolves when the server has been told. Throws a HostError when
   * that many are watched that one more would be a burden.
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
    // One of its own, so that the same function can watch twice.
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

  /** Once for all that is begun or ended in one turn. */
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

/** Whether a server can tell that a resource has changed. */
export function canWatch({ session }: Connection): boolean {
  const { resources } = session.capabilities;
  return isObject(resources) && resources['subscribe'] === true;
}

function isPartOf(uri: string, watched: string): boolean {
  return uri === watched || uri.startsWith(watched.endsWith('/') ? watched : `${watched}/`);
}

const LISTS: readonly ListName[] = ['tools', 'prompts', 'resources'];
const WATCH_LIMIT = 1_000;
const TOGETHER_MS = 50; // a file that is written changes several times
