import { TimeSlice } from '../../edge/time-slice.js';
import type { Client } from '../../serving/endpoint.js';
import type { CallParts } from '../calls/call-parts.js';

/** A resource at its server. */
export interface WatchTarget {
  readonly server: string;
  /** The server's own. */
  readonly uri: string;
}

/** One client's part in a watch, until it is disposed of. */
export interface WatchPart extends Disposable {
  /** Whether the server tells when the resource changes. Never rejects. */
  readonly isTold: Promise<boolean>;
}

type SharedWatchesParts = Pick<CallParts, 'offering' | 'callers'>;

/**
 * The watches of one address: one for each resource and line to its server, however many clients share that. Rules decide
 * when a watch begins. After rules or servers have changed nobody joins an open one, so that the new rules decide.
 */
export class SharedWatches {
  readonly #parts: SharedWatchesParts;
  readonly #limit: number;
  /** Of servers that have one line for all clients. */
  #ofAll: OpenWatches = new Map();
  /** Of servers that have a line for each client. */
  #ofClient = new WeakMap<Client, OpenWatches>();
  #count = 0;
  readonly #slice = new TimeSlice(undefined, TURN_MS);
  #turns = Promise.resolve();

  /** `limit`: how many parts clients may have in watches, all together. */
  constructor(parts: SharedWatchesParts, limit = PART_LIMIT) {
    this.#parts = parts;
    this.#limit = limit;
  }

  /**
   * Resolves when it is the caller's turn to begin some watches. In the order of the callers, so that thousands of them
   * leave the event loop to other requests again and again.
   */
  turn(): Promise<void> {
    return (this.#turns = this.#turns.then(() => this.#slice.pause()));
  }

  /** Undefined where too much is watched already. `tell`: the resource has changed, or may have. */
  join(client: Client, target: WatchTarget, tell: () => void): WatchPart | undefined {
    if (this.#count >= this.#limit) return undefined;
    this.#count++;
    const open = this.#openFor(client, target.server);
    const key = `${target.server}\0${target.uri}`;
    const watch =
      open.get(key) ?? new SharedWatch(this.#parts, { client, target, onOver: (one) => drop(open, key, one) });
    open.set(key, watch);
    return watch.join(tell, () => this.#count--);
  }

  /** Rules or servers have changed: watches that are open go on, and nobody joins them any more. */
  changed(): void {
    this.#ofAll = new Map();
    this.#ofClient = new WeakMap();
  }

  /** The subscriptions of a modern server are those of its line, which all clients share. */
  #openFor(client: Client, server: string): OpenWatches {
    if (this.#parts.offering.server(server)?.connection?.session.era === 'modern') return this.#ofAll;
    const known = this.#ofClient.get(client) ?? new Map();
    this.#ofClient.set(client, known);
    return known;
  }
}

type OpenWatches = Map<string, SharedWatch>;

interface SharedWatchOptions {
  /** Who asks first. */
  readonly client: Client;
  readonly target: WatchTarget;
  /** Nobody watches any more, or the server does not tell. */
  readonly onOver: (watch: SharedWatch) => void;
}

/** One watch at a server, with the clients that are told. */
class SharedWatch {
  readonly #onOver: (watch: SharedWatch) => void;
  readonly #ending = new AbortController();
  readonly #told = new Set<{ readonly tell: () => void }>();
  readonly #isTold: Promise<boolean>;
  #open: AsyncDisposable | undefined;

  constructor(parts: SharedWatchesParts, { client, target, onOver }: SharedWatchOptions) {
    this.#onOver = onOver;
    this.#isTold = this.#begin(parts, client, target);
  }

  join(tell: () => void, onLeave: () => void): WatchPart {
    const part = { tell };
    this.#told.add(part);
    return {
      isTold: this.#isTold,
      [Symbol.dispose]: () => {
        if (!this.#told.delete(part)) return;
        onLeave();
        if (this.#told.size === 0) this.#end();
      },
    };
  }

  async #begin({ offering, callers }: SharedWatchesParts, client: Client, target: WatchTarget): Promise<boolean> {
    const { signal } = this.#ending;
    const asked = { ...target, caller: callers.group(client), conversation: client.owner, signal, isTyped: false };
    const answered = await offering.host.watchResource(asked, () => {
      for (const { tell } of this.#told) tell();
    });
    if (!answered.ok) this.#onOver(this);
    else if (signal.aborted) await answered.watch[Symbol.asyncDispose]();
    else this.#open = answered.watch;
    return this.#open !== undefined;
  }

  #end(): void {
    this.#onOver(this);
    this.#ending.abort();
    // Never rejects; a server that is gone has forgotten the watch anyway.
    void this.#open?.[Symbol.asyncDispose]();
  }
}

function drop(open: OpenWatches, key: string, watch: SharedWatch): void {
  if (open.get(key) === watch) open.delete(key);
}

const PART_LIMIT = 200_000; // each takes some 200 bytes
const TURN_MS = 1; // a call takes several turns of the event loop
