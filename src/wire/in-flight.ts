import type { JsonObject } from '../base/json.js';
import type { HostError } from '../base/errors.js';
import type { Caller } from '../model/caller.js';
import type { Clock } from '../model/clock.js';
import { BLOCKED_LOOP_MS, extraTimeMs } from './deadline.js';
import { IdTable } from './id-table.js';
import type { RequestId } from './message.js';
import { Owners, type Ownership, readRelatedTask } from './owners.js';
import { type Progress, readProgress } from './progress.js';
import { shielded } from './shielded.js';
import type { SpillStore } from '../model/spilled.js';

/** A request that waits for its answer. */
export interface Pending {
  readonly method: string;
  readonly owner: Caller | undefined;
  /** It asks for a task, which outlives it. */
  readonly isTask: boolean;
  /** On the monotonic clock. */
  deadline: number;
  /** It was put off because the event loop stood still. */
  isExtended: boolean;
  readonly timeoutMs: number;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: HostError) => void;
  readonly spill: SpillStore | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  /** To the caller's signal, where there is one. */
  listening: Disposable | undefined;
  progress: number;
}

export interface InFlightOptions {
  readonly clock: Clock;
  /** Whom the connection was opened for. */
  readonly opener?: Caller | undefined;
  readonly expire: (id: number, pending: Pending) => void;
}

/**
 * The requests on their way, who made them, and one timer for all their deadlines. The timer stands at the earliest deadline there was
 * when it was set; a request that ends in time leaves it alone, which makes the usual case cost nothing.
 */
export class InFlight {
  readonly owners: Owners;
  readonly #table = new IdTable<Pending>();
  readonly #clock: Clock;
  readonly #expire: (id: number, pending: Pending) => void;
  #timer: Disposable | undefined;
  #timerAt = Infinity;

  constructor({ clock, opener, expire }: InFlightOptions) {
    this.owners = new Owners(clock, opener);
    this.#clock = clock;
    this.#expire = expire;
  }

  get size(): number {
    return this.#table.size;
  }

  get(id: number): Pending | undefined {
    return this.#table.get(id);
  }

  has(id: number): boolean {
    return this.#table.has(id);
  }

  add(id: number, pending: Pending): void {
    this.#table.add(id, pending);
    this.owners.begin(pending.owner);
    if (pending.deadline < this.#timerAt) this.#setTimer(pending.deadline);
  }

  /** Takes a request out of the table: from here on exactly one of its two functions is called. */
  take(id: number): Pending | undefined {
    const pending = this.#table.take(id);
    if (pending === undefined) return undefined;
    this.owners.end(pending.owner);
    pending.listening?.[Symbol.dispose]();
    return pending;
  }

  /** Whose a message of the server is, by the channel it came on and by what it says. */
  ownerOf(params: JsonObject, origin: RequestId | undefined): Ownership {
    const request = origin === undefined ? undefined : this.#table.get(Number(origin));
    return this.owners.ownerOf({ origin, request, task: readRelatedTask(params) });
  }

  /** A note of the server says how far a request is. */
  progress(params: JsonObject): void {
    const { progressToken } = params;
    const pending = typeof progressToken === 'number' ? this.#table.get(progressToken) : undefined;
    const told = pending?.onProgress && readProgress(params, pending.progress);
    if (!pending || !told) return;
    pending.progress = told.progress;
    shielded(() => pending.onProgress?.(told));
  }

  /** The only one, if there is only one. */
  only(): number | undefined {
    if (this.#table.size !== 1) return undefined;
    for (const [id] of this.#table.entries()) return id;
    return undefined;
  }

  /** Any that could take a large answer. */
  anySpill(): SpillStore | undefined {
    for (const [, { spill }] of this.#table.entries()) if (spill) return spill;
    return undefined;
  }

  /** Ends all of them. */
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
    // What has arrived by then is taken in first: a busy event loop must not turn answers into timeouts.
    this.#timer = this.#clock.after(Math.max(at - this.#clock.monotonic(), 0), () => {
      const wasBlocked = extraTimeMs(this.#clock.monotonic() - at) > 0;
      this.#clock.soon(() => this.#sweep(wasBlocked));
    });
  }

  /** `isLate`: the event loop stood still, and a request may not even have been sent. */
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
    // Not for every millisecond anew when many deadlines stand close together.
    if (earliest !== Infinity) this.#setTimer(Math.max(earliest, now + FINEST_STEP));
  }
}

const FINEST_STEP = 5;
