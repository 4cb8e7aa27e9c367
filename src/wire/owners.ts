import { isObject, type JsonObject } from '../base/json.js';
import { LinkedList } from '../base/collections/linked-list.js';
import { type Caller, groupOf } from '../model/caller.js';
import type { Clock } from '../model/clock.js';
import type { RequestId } from './message.js';

/** The owner of a server's request or log message. Undefined: the connection's own, opened for no caller. */
export type Ownership =
  | { readonly kind: 'owned'; readonly owner: Caller | undefined }
  /** `why` completes the sentence "... belongs to no call that is known: ...". */
  | { readonly kind: 'unknown'; readonly why: string };

/** What relates a server's message to a request of ours. */
export interface Mark {
  /** The request on whose own channel (the stream of its POST) the message came. */
  readonly origin: RequestId | undefined;
  /** `origin`'s request, if it is in flight. */
  readonly request: { readonly owner: Caller | undefined } | undefined;
  /** The related task that the message names. */
  readonly task: string | undefined;
}

/**
 * The owners of the requests in flight on one connection. Keeps counts, because a server may ask while a thousand calls
 * are in flight. While there is one owner, as on almost every connection, a call costs one comparison and no memory.
 * Requests without an owner are the connection's own (handshake, lists, pings) and do not count. Calls of one group
 * count as calls of one owner; what may belong to any of them belongs to the newest.
 */
export class Owners {
  readonly #clock: Clock;
  /** The caller that the connection was opened for; undefined when it is shared. */
  readonly #opener: Caller | undefined;
  /** The only owner so far, the opener included, and the number of its calls in flight. */
  #only: Caller | undefined;
  #calls = 0;
  /** The number of calls in flight per owner, once there has been a second owner. */
  #counts: Map<Caller, number> | undefined;
  /** The calls in flight of owners whose calls have callers of their own, by group. */
  #groups: WeakMap<Caller, GroupCalls> | undefined;
  readonly #tasks = new Map<string, Caller>();
  /** Abandoned requests that the server may still process, oldest first. */
  readonly #abandoned = new Map<number, { readonly owner: Caller; readonly until: number }>();

  constructor(clock: Clock, opener: Caller | undefined) {
    this.#clock = clock;
    this.#opener = this.#only = opener;
  }

  begin(owner: Caller | undefined): void {
    if (owner === undefined) return;
    if (owner.group) this.#calling(owner.group).begin(owner);
    this.#count(groupOf(owner));
  }

  end(owner: Caller | undefined): void {
    if (owner === undefined) return;
    if (owner.group) this.#groups?.get(owner.group)?.end(owner);
    this.#uncount(groupOf(owner));
  }

  #count(owner: Caller): void {
    if (owner === this.#only && this.#counts === undefined) this.#calls++;
    else this.#beginOther(owner);
  }

  #uncount(owner: Caller): void {
    const counts = this.#counts;
    if (counts === undefined) {
      this.#calls--;
      return;
    }
    const left = counts.get(owner)! - 1;
    if (left > 0) counts.set(owner, left);
    else counts.delete(owner);
  }

  /** The caller gave up this request; what the server still asks because of it remains the owner's to answer. */
  abandon(id: number, owner: Caller | undefined): void {
    if (owner === undefined) return;
    this.#sweep();
    for (const first of this.#abandoned.keys()) {
      if (this.#abandoned.size < ABANDONED_LIMIT) break;
      this.settle(first);
    }
    // Counted for the group alone: what nobody waits for is not its newest call.
    this.#count(groupOf(owner));
    this.#abandoned.set(id, { owner, until: this.#clock.monotonic() + ABANDONED_MS });
  }

  get abandoned(): number {
    this.#sweep();
    return this.#abandoned.size;
  }

  /** The response to an abandoned request has arrived. */
  settle(id: number): void {
    const abandoned = this.#abandoned.get(id);
    if (abandoned && this.#abandoned.delete(id)) this.#uncount(groupOf(abandoned.owner));
  }

  /** Keeps the owner of a task, which outlives its request, until `endTask`. */
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

  /** Tries the most certain rule first. A message that could belong to several callers is refused. */
  ownerOf({ origin, request, task }: Mark): Ownership {
    this.#sweep();
    if (request) return owned(request.owner ?? this.#opener);
    const known = task === undefined ? undefined : this.#tasks.get(task);
    if (known) return owned(known);
    const counts = this.#counts;
    if (counts === undefined) {
      if (this.#calls > 0) return this.#ownedByNewest(this.#only, this.#calls);
      return this.#only === this.#opener ? owned(this.#opener) : NOT_IN_A_CALL;
    }
    // The message names a request or task that has ended, so the calls in flight do not own it.
    if (origin !== undefined || task !== undefined) return OVER;
    if (counts.size > 1) return SEVERAL;
    const [only = this.#opener] = counts.keys();
    return only ? this.#ownedByNewest(only, counts.get(only) ?? 0) : NOT_IN_A_CALL;
  }

  /** Whether nobody waits for the calls any more that a server's request came with, or can belong to. */
  isGivenUp(owner: Caller | undefined, origin: RequestId | undefined): boolean {
    if (origin !== undefined) return this.#abandoned.has(Number(origin));
    if (owner === undefined || this.#abandoned.size === 0) return false;
    const group = groupOf(owner);
    let given = 0;
    for (const abandoned of this.#abandoned.values()) if (groupOf(abandoned.owner) === group) given++;
    const calls = this.#counts ? (this.#counts.get(group) ?? 0) : group === this.#only ? this.#calls : 0;
    return given > 0 && given === calls;
  }

  /** The calls of the caller's group that are in flight, oldest first, where calls have callers of their own. */
  callsOf(caller: Caller): Iterable<Caller> {
    return this.#groups?.get(groupOf(caller))?.callers ?? [];
  }

  /** The newest call of the caller's group, or the group itself, where the caller's own call has ended. */
  nextAfter(caller: Caller): Caller | undefined {
    const { group } = caller;
    if (!group || group.mayBeSeveral === true) return undefined;
    const calls = this.#groups?.get(group);
    return calls?.has(caller) === true ? undefined : (calls?.newest ?? group);
  }

  #ownedByNewest(group: Caller | undefined, calls: number): Ownership {
    if (group?.mayBeSeveral === true && calls > 1) return SEVERAL;
    return owned(group && (this.#groups?.get(group)?.newest ?? group));
  }

  #calling(group: Caller): GroupCalls {
    const known = this.#groups?.get(group);
    if (known) return known;
    const calls = new GroupCalls();
    (this.#groups ??= new WeakMap()).set(group, calls);
    return calls;
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

  /** Drops abandoned requests after `ABANDONED_MS`: a server does not process them for ever. */
  #sweep(): void {
    const now = this.#clock.monotonic();
    for (const [id, { until }] of this.#abandoned) {
      if (until > now) return;
      this.settle(id);
    }
  }
}

/** The calls of one group in flight. A call has one caller and may have several requests, such as those of its task. */
class GroupCalls {
  readonly #calls = new LinkedList<GroupCall>();
  readonly #known = new WeakMap<Caller, GroupCall>();

  /** Oldest first. */
  get callers(): readonly Caller[] {
    return this.#calls.values().map(({ caller }) => caller);
  }

  get newest(): Caller | undefined {
    return this.#calls.last?.caller;
  }

  has(caller: Caller): boolean {
    return this.#known.has(caller);
  }

  begin(caller: Caller): void {
    const known = this.#known.get(caller);
    if (known) known.requests++;
    else {
      const call: GroupCall = { caller, requests: 1, place: undefined };
      call.place = this.#calls.add(call);
      this.#known.set(caller, call);
    }
  }

  end(caller: Caller): void {
    const call = this.#known.get(caller);
    if (!call || --call.requests > 0) return;
    call.place?.[Symbol.dispose]();
    this.#known.delete(caller);
  }
}

interface GroupCall {
  readonly caller: Caller;
  /** In flight. */
  requests: number;
  place: Disposable | undefined;
}

/** The task in the `related-task` metadata of a server's message. */
export function readRelatedTask({ _meta: meta }: JsonObject): string | undefined {
  const related = isObject(meta) ? meta[RELATED_TASK] : undefined;
  return isObject(related) && typeof related['taskId'] === 'string' ? related['taskId'] : undefined;
}

// https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#related-task-metadata
const RELATED_TASK = 'io.modelcontextprotocol/related-task';
const TASK_LIMIT = 1_000;
const TASK_ID_LIMIT = 1_000; // characters; the limit of connection/requests/task.ts
const ABANDONED_LIMIT = 1_000;
const ABANDONED_MS = 600_000; // ms; as long as a question may wait for its answer

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
