import { isObject, type JsonObject } from '../base/json.js';
import type { Caller } from '../model/caller.js';
import type { Clock } from '../model/clock.js';
import type { RequestId } from './message.js';

/** Whose a server's request or log message is. An owner that is undefined: the connection's own, as it was opened for nobody. */
export type Ownership =
  | { readonly kind: 'owned'; readonly owner: Caller | undefined }
  /** `why` ends the sentence "... belongs to no call that is known: ...". */
  | { readonly kind: 'unknown'; readonly why: string };

/** By what a server's message says which request it belongs to. */
export interface Mark {
  /** The request on whose own channel the message came (the stream of its POST). */
  readonly origin: RequestId | undefined;
  /** That request, if it is in flight. */
  readonly request: { readonly owner: Caller | undefined } | undefined;
  /** The task that the message names. */
  readonly task: string | undefined;
}

/**
 * Who asked for what is in flight on one connection. Counts instead of a scan: a server may ask while a thousand calls are in flight.
 * While all requests have one owner, as on almost every connection, a call costs one comparison and no memory. A request without an
 * owner is the connection's own (handshake, lists, pings) and counts for nobody.
 */
export class Owners {
  readonly #clock: Clock;
  /** Whom the connection was opened for; undefined for one that is shared. */
  readonly #opener: Caller | undefined;
  /** The only owner so far, the opener included, and the calls of that owner that are in flight. */
  #only: Caller | undefined;
  #calls = 0;
  /** The calls in flight of each owner, once there has been a second one. */
  #counts: Map<Caller, number> | undefined;
  readonly #tasks = new Map<string, Caller>();
  /** Requests that were given up, and that the server may still be working on. Oldest first. */
  readonly #abandoned = new Map<number, { readonly owner: Caller; readonly until: number }>();

  constructor(clock: Clock, opener: Caller | undefined) {
    this.#clock = clock;
    this.#opener = this.#only = opener;
  }

  begin(owner: Caller | undefined): void {
    if (owner === undefined) return;
    if (owner === this.#only && this.#counts === undefined) this.#calls++;
    else this.#beginOther(owner);
  }

  end(owner: Caller | undefined): void {
    if (owner === undefined) return;
    const counts = this.#counts;
    if (counts === undefined) {
      this.#calls--;
      return;
    }
    const left = counts.get(owner)! - 1;
    if (left > 0) counts.set(owner, left);
    else counts.delete(owner);
  }

  /** Nobody waits for this request any more; what the server still asks for its sake is its owner's. */
  abandon(id: number, owner: Caller | undefined): void {
    if (owner === undefined) return;
    this.#sweep();
    for (const first of this.#abandoned.keys()) {
      if (this.#abandoned.size < ABANDONED_LIMIT) break;
      this.settle(first);
    }
    this.begin(owner);
    this.#abandoned.set(id, { owner, until: this.#clock.monotonic() + ABANDONED_MS });
  }

  /** A request that was given up has been answered after all. */
  settle(id: number): void {
    const abandoned = this.#abandoned.get(id);
    if (abandoned && this.#abandoned.delete(id)) this.end(abandoned.owner);
  }

  /** The task that an answer is the handle of outlives its request: it is the owner's until `endTask`. */
  beginTask({ task }: JsonObject, owner: Caller | undefined): void {
    const { taskId, status } = isObject(task) ? task : ({} as JsonObject);
    if (owner === undefined || typeof taskId !== 'string' || typeof status !== 'string') return;
    if (taskId.length > TASK_ID_LIMIT) return;
    this.endTask(taskId);
    for (const first of this.#tasks.keys()) {
      if (this.#tasks.size < TASK_LIMIT) break;
      this.endTask(first);
    }
    this.begin(owner);
    this.#tasks.set(taskId, owner);
  }

  endTask(task: string): void {
    const owner = this.#tasks.get(task);
    if (owner && this.#tasks.delete(task)) this.end(owner);
  }

  /** The order of the rules is the order of certainty. What could be anybody's is nobody's. */
  ownerOf({ origin, request, task }: Mark): Ownership {
    this.#sweep();
    if (request) return owned(request.owner ?? this.#opener);
    const known = task === undefined ? undefined : this.#tasks.get(task);
    if (known) return owned(known);
    const counts = this.#counts;
    if (counts === undefined) {
      if (this.#calls > 0) return owned(this.#only);
      return this.#only === this.#opener ? owned(this.#opener) : NOT_IN_A_CALL;
    }
    // It says whose it was, and that is over: those in flight have nothing to do with it.
    if (origin !== undefined || task !== undefined) return OVER;
    if (counts.size > 1) return SEVERAL;
    const [only = this.#opener] = counts.keys();
    return only ? owned(only) : NOT_IN_A_CALL;
  }

  #beginOther(owner: Caller): void {
    if (this.#only === undefined) {
      this.#only = owner;
      this.#calls = 1;
      return;
    }
    const counts = (this.#counts ??= new Map(this.#calls > 0 ? [[this.#only, this.#calls]] : []));
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }

  /** A server that goes on with what nobody waits for does not do so for ever. */
  #sweep(): void {
    const now = this.#clock.monotonic();
    for (const [id, { until }] of this.#abandoned) {
      if (until > now) return;
      this.settle(id);
    }
  }
}

/** The task that a server's message says it belongs to. */
export function readRelatedTask({ _meta: meta }: JsonObject): string | undefined {
  const related = isObject(meta) ? meta[RELATED_TASK] : undefined;
  return isObject(related) && typeof related['taskId'] === 'string' ? related['taskId'] : undefined;
}

// https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#related-task-metadata
const RELATED_TASK = 'io.modelcontextprotocol/related-task';
const TASK_LIMIT = 1_000;
const TASK_ID_LIMIT = 1_000; // as connection/requests/task.ts takes them
const ABANDONED_LIMIT = 1_000;
const ABANDONED_MS = 600_000; // as long as a question may wait for its answer

const SEVERAL: Ownership = {
  kind: 'unknown',
  why: 'several callers have calls in flight here, and it names neither a request nor a task',
};
const OVER: Ownership = { kind: 'unknown', why: 'the request or task that it came with has ended' };
const NOT_IN_A_CALL: Ownership = {
  kind: 'unknown',
  why: 'no call is in flight, and this connection was opened for no caller in particular',
};

function owned(owner: Caller | undefined): Ownership {
  return { kind: 'owned', owner };
}
