import type { EndpointChange, Client } from '../../serving/endpoint.js';
import type { CallParts } from '../calls/call-parts.js';
import { findResource } from '../calls/resource-request.js';
import type { SharedWatches, WatchPart } from './shared-watches.js';

export interface ResourceWatchesOptions {
  readonly parts: CallParts;
  readonly shared: SharedWatches;
  readonly client: Client;
  /** As the client knows them. */
  readonly uris: readonly string[];
  readonly tell: (change: EndpointChange) => void;
}

/** The resources that one client watches on one stream. */
export class ResourceWatches implements Disposable {
  /** Those of the first URIs whose servers tell when they change. Never rejects. */
  readonly watched: Promise<readonly string[]>;
  readonly #options: ResourceWatchesOptions;
  readonly #held = new Map<string, HeldWatch>();
  #isOver = false;

  constructor(options: ResourceWatchesOptions) {
    this.#options = options;
    this.watched = this.#addAll([...new Set(options.uris)].slice(0, URI_LIMIT));
  }

  /** Resolves when the server has been asked. Never rejects. */
  async add(uri: string): Promise<void> {
    await this.#addAll([uri]);
  }

  remove(uri: string): void {
    this.#held.get(uri)?.[Symbol.dispose]();
    this.#held.delete(uri);
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const held of this.#held.values()) held[Symbol.dispose]();
    this.#held.clear();
  }

  /** Some at a time: each is a request to a server, and a client that leaves at once has the others never made. */
  async #addAll(uris: readonly string[]): Promise<readonly string[]> {
    const watched: string[] = [];
    for (let at = 0; at < uris.length && !this.#isOver; at += AT_ONCE) {
      await this.#options.shared.turn();
      const some = uris.slice(at, at + AT_ONCE);
      const found = await Promise.all(some.map((uri) => this.#hold(uri)));
      watched.push(...some.filter((_, index) => found[index]));
    }
    return watched;
  }

  async #hold(uri: string): Promise<boolean> {
    if (this.#isOver || this.#held.has(uri) || this.#held.size >= URI_LIMIT) return false;
    const held = new HeldWatch();
    this.#held.set(uri, held);
    const isTold = await this.#begin(held, uri);
    if (!isTold) held[Symbol.dispose]();
    if (!isTold && this.#held.get(uri) === held) this.#held.delete(uri);
    return isTold;
  }

  async #begin(held: HeldWatch, uri: string): Promise<boolean> {
    const { parts, shared, client, tell } = this.#options;
    try {
      const target = await findResource(parts, uri);
      const change = { method: 'notifications/resources/updated', params: { uri } };
      return await held.begin(() => shared.join(client, target, () => tell(change)));
    } catch {
      return false; // nobody has such a resource: it is not among those that are watched
    }
  }
}

/** A watch that may end before it has begun. */
class HeldWatch implements Disposable {
  #part: WatchPart | undefined;
  #isOver = false;

  async begin(join: () => WatchPart | undefined): Promise<boolean> {
    if (this.#isOver) return false;
    this.#part = join();
    return (await this.#part?.isTold) === true && !this.#isOver;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#part?.[Symbol.dispose]();
  }
}

const URI_LIMIT = 1_000; // for each stream
const AT_ONCE = 20;
