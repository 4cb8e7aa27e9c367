import type { EndpointChange, Client } from '../../serving/endpoint.js';
import type { CallParts } from '../calls/call-parts.js';
import { findResource } from '../calls/resource-request.js';

export interface ResourceWatchesOptions {
  readonly parts: CallParts;
  readonly client: Client;
  /** As the client knows them. */
  readonly uris: readonly string[];
  readonly tell: (change: EndpointChange) => void;
}

/** The resources that one client watches, on the servers that have them. */
export class ResourceWatches implements Disposable {
  /** The URIs whose servers tell when they change. Never rejects. */
  readonly watched: Promise<readonly string[]>;
  readonly #options: ResourceWatchesOptions;
  readonly #open: AsyncDisposable[] = [];
  readonly #ending = new AbortController();

  constructor(options: ResourceWatchesOptions) {
    this.#options = options;
    const uris = [...new Set(options.uris)].slice(0, URI_LIMIT);
    this.watched = this.#beginAll(uris);
  }

  [Symbol.dispose](): void {
    this.#ending.abort();
    // Never rejects; a server that is gone has forgotten the watch anyway.
    for (const watch of this.#open.splice(0)) void watch[Symbol.asyncDispose]();
  }

  /** Some at a time: each is a request to a server, and a client that leaves at once has the others never made. */
  async #beginAll(uris: readonly string[]): Promise<readonly string[]> {
    const watched: string[] = [];
    for (let at = 0; at < uris.length && !this.#ending.signal.aborted; at += AT_ONCE) {
      const some = uris.slice(at, at + AT_ONCE);
      const found = await Promise.all(some.map((uri) => this.#begin(uri)));
      watched.push(...some.filter((_, index) => found[index]));
    }
    return watched;
  }

  async #begin(uri: string): Promise<boolean> {
    const { parts, client, tell } = this.#options;
    const { signal } = this.#ending;
    try {
      const { server, uri: own } = await findResource(parts, uri);
      const asked = { server, uri: own, caller: parts.callers.group(client), conversation: client.owner, signal };
      const answered = await parts.offering.host.watchResource({ ...asked, isTyped: false }, () => {
        if (!signal.aborted) tell({ method: 'notifications/resources/updated', params: { uri } });
      });
      if (!answered.ok) return false;
      if (signal.aborted) await answered.watch[Symbol.asyncDispose]();
      else this.#open.push(answered.watch);
      return !signal.aborted;
    } catch {
      return false; // nobody has such a resource: it is not among those that are watched
    }
  }
}

const URI_LIMIT = 1_000; // for each client
const AT_ONCE = 20;
