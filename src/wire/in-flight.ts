import type { JsonObject } from '../base/json.js';
import type { Resolvers } from '../base/resolvers.js';
import type { Caller } from '../model/caller.js';
import type { Clock } from '../model/clock.js';
import { logTo } from './caller-log.js';
import { BLOCKED_LOOP_MS, extraTimeMs } from './deadline.js';
import { IdTable } from './id-table.js';
import type { RequestId } from './message.js';
import { Owners, type Ownership, readRelatedTask } from './owners.js';
import { type Progress, readProgress } from './progress.js';
import { requestIds } from './request-ids.js';
import { shielded } from './shielded.js';
import { isListRoom, type LargeResponseStore, type ListRoom, type SpillStore } from '../model/spilled.js';

/** A request in flight. */
export interface Pending {
  readonly method: string;
  readonly owner: Caller | undefined;
  /** The request creates a task, which outlives it. */
  readonly isTask: boolean;
  /** On the monotonic clock. */
  deadline: number;
  /** The deadline was extended once, because the event loop was blocked. */
  isExtended: boolean;
  readonly timeoutMs: number;
  readonly ended: Resolvers<JsonObject>;
  readonly spill: LargeResponseStore | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  /** The listener on the caller's signal, if there is one. */
  listening: Disposable | undefined;
  progress: number;
}

/** The rest of a request that nobody cancels by a signal, and that has no deadline. */
export const NO_DEADLINE: Omit<Pending, 'method' | 'ended'> = {
  owner: undefined,
  isTask: false,
  deadline: Infinity,
  isExtended: false,
  timeoutMs: Infinity,
  spill: undefined,
  onProgress: undefined,
  listening: undefined,
  progress: -Infinity,
};

export interface InFlightOptions {
  readonly clock: Clock;
  /** The caller that the connection was opened for. */
  readonly opener?: Caller | undefined;
  /** Removes the server's secrets from what callers are told. */
  readonly redact?: ((text: string) => string) | undefined;
  readonly expire: (id: number, pending: Pending) => void;
}

/**
 * The requests in flight, their owners, and one timer for all deadlines. The timer is set to the earliest deadline; a
 * request that ends in time does not touch it, so the usual case costs nothing.
 */
export class InFlight {
  readonly owners: Owners;
  readonly #table = new IdTable<Pending>();
  readonly #nextId = requestIds();
  readonly #clock: Clock;
  readonly #expire: (id: number, pending: Pending) => void;
  readonly #redact: (text: string) => string;
  /** The levels of log messages that requests have named, by their owners. */
  #logLevels: WeakMap<Caller, string> | undefined;
  #timer: Disposable | undefined;
  #timerAt = Infinity;

  constructor({ clock, opener, redact = asItIs, expire }: InFlightOptions) {
    this.owners = new Owners(clock, opener);
    this.#clock = clock;
    this.#expire = expire;
    this.#redact = redact;
  }

  get size(): number {
    return this.#table.size;
  }

  /** How many were given up that the server may still process. */
  get abandoned(): number {
    return this.owners.abandoned;
  }

  get(id: number): Pending | undefined {
    return this.#table.get(id);
  }

  has(id: number): boolean {
    return this.#table.has(id);
  }

  /** An id that no request in flight has. */
  freeId(): number {
    let id = this.#nextId();
    while (this.#table.has(id)) id = this.#nextId();
    return id;
  }

  add(id: number, pending: Pending): void {
    this.#table.add(id, pending);
    this.owners.begin(pending.owner);
    if (pending.deadline < this.#timerAt) this.#setTimer(pending.deadline);
  }

  /** Removes a request; the caller must then call exactly one of its `ended`. */
  take(id: number): Pending | undefined {
    const pending = this.#table.take(id);
    if (pending === undefined) return undefined;
    this.owners.end(pending.owner);
    pending.listening?.[Symbol.dispose]();
    return pending;
  }

  /** The owner of a server's message, by its channel and its related task. */
  ownerOf(params: JsonObject, origin: RequestId | undefined): Ownership {
    const request = origin === undefined ? undefined : this.#table.get(Number(origin));
    return this.owners.ownerOf({ origin, request, task: readRelatedTask(params) });
  }

  /** See `InboundOptions.nextOwner`: only for a message that names neither a request nor a task. */
  nextOwner(owner: Caller | undefined, params: JsonObject, origin: RequestId | undefined): Caller | undefined {
    if (!owner || origin !== undefined || readRelatedTask(params) !== undefined) return undefined;
    return this.owners.nextAfter(owner);
  }

  /** The owner wants log messages about its requests, from this level on. */
  wantLogs(owner: Caller | undefined, level: string): void {
    if (owner) (this.#logLevels ??= new WeakMap()).set(owner, level);
  }

  /**
   * Passes a log message to the owner of the request that it belongs to. One that names no request may belong to any
   * call of the group that has calls in flight, so it goes to the newest of these that wants it.
   */
  log(
    params: JsonObject,
    { server, origin }: { readonly server: string; readonly origin: RequestId | undefined },
  ): void {
    const ownership = this.ownerOf(params, origin);
    const owner = ownership.kind === 'owned' ? ownership.owner : undefined;
    if (!owner) return;
    const isOpen = origin === undefined && readRelatedTask(params) === undefined;
    const others = isOpen && this.#logLevels ? this.owners.callsOf(owner) : [];
    logTo({ server, owner, others, levels: this.#logLevels, redact: this.#redact }, params);
  }

  /** Passes a progress notification to its request. */
  progress(params: JsonObject): void {
    const { progressToken } = params;
    const pending = typeof progressToken === 'number' ? this.#table.get(progressToken) : undefined;
    const told = pending?.onProgress && readProgress(params, pending.progress);
    if (!pending || !told) return;
    pending.progress = told.progress;
    const { message } = told;
    shielded(() => pending.onProgress?.(message === undefined ? told : { ...told, message: this.#redact(message) }));
  }

  /** The id of the only request in flight; undefined when there are several. */
  only(): number | undefined {
    if (this.#table.size !== 1) return undefined;
    for (const [id] of this.#table.entries()) return id;
    return undefined;
  }

  /** Who may take a large response that has not said yet whose it is: a call, or the list that it turns out to be. */
  anySpill(): LargeResponseStore | undefined {
    let store: SpillStore | undefined;
    const lists: ListRoom[] = [];
    for (const [, { spill }] of this.#table.entries()) {
      if (!spill) continue;
      if (isListRoom(spill)) lists.push(spill);
      else store ??= spill;
    }
    // Of lists alone the longest decides: the reader of each list cuts it to its own bound.
    if (!store) return lists.toSorted((one, other) => other.items - one.items)[0];
    return lists.length === 0 ? store : { open: store.open.bind(store), lists };
  }

  /** Removes all requests. */
  takeAll(): Pending[] {
    const all = Array.from(this.#table.entries(), ([, pending]) => pending);
    this.#table.clear();
    for (const { listening } of all) listening?.[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
    this.#timerAt = Infinity;
    return all;
  }

  #setTimer(at: number): void {
    this.#timer?.[Symbol.dispose]();
    this.#timerAt = at;
    // Bytes that have arrived are processed first: a busy event loop must not turn responses into timeouts.
    this.#timer = this.#clock.after(Math.max(at - this.#clock.monotonic(), 0), () => {
      const wasBlocked = extraTimeMs(this.#clock.monotonic() - at) > 0;
      this.#clock.soon(() => this.#sweep(wasBlocked));
    });
  }

  /** `wasBlocked`: the event loop was blocked, so a request may not even have been sent. */
  #sweep(wasBlocked: boolean): void {
    const now = this.#clock.monotonic();
    let earliest = Infinity;
    for (const [id, pending] of Array.from(this.#table.entries())) {
      if (wasBlocked && pending.deadline <= now && !pending.isExtended) {
        pending.isExtended = true;
        pending.deadline = now + extraTimeMs(Math.max(now - pending.deadline, BLOCKED_LOOP_MS));
      }
      if (pending.deadline <= now) {
        this.take(id);
        this.#expire(id, pending);
      } else if (pending.deadline < earliest) earliest = pending.deadline;
    }
    this.#timerAt = Infinity;
    // At least `FINEST_STEP` ms apart, when many deadlines are close together.
    if (earliest !== Infinity) this.#setTimer(Math.max(earliest, now + FINEST_STEP));
  }
}

function asItIs(text: string): string {
  return text;
}

const FINEST_STEP = 5;
