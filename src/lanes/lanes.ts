import { createHash } from 'node:crypto';
import { HostError } from '../base/errors.js';
import { type Caller, groupOf } from '../model/caller.js';
import type { Clock } from '../model/clock.js';
import { canonicalJson } from '../model/text/canonical-json.js';
import { Lane, type LaneServer, type LaneState, type LaneUse } from './lane.js';

export interface LanesOptions {
  readonly clock: Clock;
  /** How many lanes there may be. Default: 200. */
  readonly limit?: number | undefined;
  /** How many of them may belong to one principal. Default: 100. */
  readonly principalLimit?: number | undefined;
}

/**
 * The lines that clients of this program have to servers which keep state for a session: one for each client and server,
 * opened by the first call, closed when the client has gone, or has not called for long.
 */
export class Lanes implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #principalLimit: number;
  readonly #all = new Set<Lane>();
  readonly #servers = new WeakMap<LaneServer, ServerLanes>();
  /** The keys of lanes that have been, oldest first: their owners are told when another one takes their place. */
  readonly #former = new Set<string>();
  /** How often each owner is known to be connected. */
  readonly #attended = new Map<string, number>();
  /** Lanes that end after their calls, and those that are being closed. */
  readonly #ending = new Map<Lane, Disposable>();
  readonly #closing = new Map<Lane, Promise<void>>();
  /** One timer for all idle lanes. */
  #timer: Disposable | undefined;
  #timerAt = 0;
  #isClosed = false;

  constructor({ clock, limit = LIMIT, principalLimit = PRINCIPAL_LIMIT }: LanesOptions) {
    this.#clock = clock;
    this.#limit = limit;
    this.#principalLimit = principalLimit;
  }

  /** The lane of a caller that has one, for one call. Throws `overloaded` where there is no room for another. */
  use(server: LaneServer, caller: Caller): LaneUse {
    const known = this.#lanesOf(server);
    const terms = known.termsOf(caller);
    const wanted = known.placeOf(caller, terms.key);
    const isRoom = wanted === terms.key || known.lanes.has(wanted) || this.#hasRoomForFurther(terms.client);
    return this.#open(known, terms, isRoom ? wanted : known.stayAt(caller, terms.key)).use(caller);
  }

  /** The same for a watch or a task, which outlives calls. */
  hold(server: LaneServer, caller: Caller): LaneUse {
    const known = this.#lanesOf(server);
    const terms = known.termsOf(caller);
    return this.#open(known, terms, known.heldPlaceOf(caller, terms.key)).hold(caller);
  }

  /** The lane at this place, opened if need be. */
  #open(known: ServerLanes, terms: LaneTerms, place: string): Lane {
    const { server } = known;
    if (this.#isClosed)
      throw new HostError('connection-closed', `Server "${server.name}" is not asked: its host is closed`);
    const lane = known.lanes.get(place);
    if (lane && !this.#isOver(lane)) return lane;
    if (lane) this.#close(lane);
    const { client } = terms;
    const isFurther = place !== terms.key;
    const formerKey = `${server.name}\0${terms.key}`;
    this.#makeRoom(server, client.principal);
    const opened = new Lane({
      server,
      client,
      owner: terms.owner,
      capabilities: terms.capabilities,
      isFurther,
      isAnew: isFurther || this.#former.has(formerKey),
      onIdle: () => this.#onIdle(opened),
      onUnmarkedQuestion: () => (known.isAsking = true),
    });
    known.lanes.set(place, opened);
    this.#all.add(opened);
    this.#remember(formerKey);
    return opened;
  }

  /** The owner's client is connected: its lanes stay until this is disposed of, and a while longer. */
  attend(owner: string): Disposable {
    this.#attended.set(owner, (this.#attended.get(owner) ?? 0) + 1);
    return new Attendance(owner, this.#unattend);
  }

  readonly #unattend = (owner: string): void => {
    const left = this.#attended.get(owner)! - 1;
    if (left > 0) this.#attended.set(owner, left);
    else this.#leave(owner);
  };

  /** The owner has gone for good: closes its lanes at once. Never rejects. */
  async close(owner: string): Promise<void> {
    const isOwn = (lane: Lane): boolean => lane.owner === owner;
    for (const lane of [...this.#all, ...this.#ending.keys()].filter(isOwn)) this.#close(lane);
    await Promise.all([...this.#closing].filter(([lane]) => isOwn(lane)).map(([, closing]) => closing));
  }

  /** The server is to end: closes its lanes when their calls have ended, at the latest after `GRACE_MS`. */
  closeServer(server: LaneServer): void {
    for (const lane of this.#servers.get(server)?.lanes.values() ?? []) {
      this.#forget(lane);
      if (lane.isIdle) this.#close(lane);
      else
        this.#ending.set(
          lane,
          this.#clock.after(GRACE_MS, () => this.#close(lane)),
        );
    }
  }

  /** Has the lanes of a server take over what its catalog says of its tools. */
  learn(server: LaneServer): void {
    for (const { line } of this.#servers.get(server)?.lanes.values() ?? []) line.catalog.learn();
  }

  /** Something has changed that lanes may have failed for, such as a sign-in: the next call opens a new one. */
  reopen(server: LaneServer): void {
    const lanes = this.#servers.get(server)?.lanes.values() ?? [];
    for (const lane of [...lanes].filter(({ isIdle, endedAt }) => isIdle && endedAt !== undefined)) this.#close(lane);
  }

  /** The owner's level for log messages has changed. */
  relevel(owner: string): void {
    for (const lane of this.#all) if (lane.owner === owner) lane.relevel();
  }

  states(): readonly LaneState[] {
    return Array.from(this.#all, ({ state }) => state);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#timer?.[Symbol.dispose]();
    for (const lane of [...this.#all, ...this.#ending.keys()]) this.#close(lane);
    await Promise.all(this.#closing.values());
  }

  #lanesOf(server: LaneServer): ServerLanes {
    const known = this.#servers.get(server) ?? new ServerLanes(server);
    this.#servers.set(server, known);
    return known;
  }

  /** A lane that has failed is replaced by a new one, but no faster than one after another can fail. */
  #isOver(lane: Lane): boolean {
    if (lane.line.isClosed) return true;
    return lane.isIdle && lane.endedAt !== undefined && this.#clock.monotonic() - lane.endedAt >= FAILED_MS;
  }

  /** Whether a client may have a further lane: they are few, and none of them takes the place of another lane. */
  #hasRoomForFurther({ principal }: Caller): boolean {
    const own = [...this.#all].filter((lane) => lane.principal === principal);
    const further = own.filter((lane) => lane.isFurther);
    const isRoom = own.length < this.#principalLimit && this.#all.size < this.#limit;
    if (isRoom && further.length < FURTHER_LIMIT) return true;
    const idle = further.find((lane) => lane.isIdle);
    if (idle) this.#close(idle);
    return idle !== undefined;
  }

  /** Closes the lane that has been idle longest, where there are too many. */
  #makeRoom({ name }: LaneServer, principal: string): void {
    const own = [...this.#all].filter((lane) => lane.principal === principal);
    if (own.length >= this.#principalLimit) this.#closeIdlest(own, fullText(name, own.length, 'of this client'));
    else if (this.#all.size >= this.#limit)
      this.#closeIdlest([...this.#all], fullText(name, this.#all.size, 'of all clients'));
  }

  #closeIdlest(lanes: readonly Lane[], text: string): void {
    const idle = lanes.filter((lane) => lane.isIdle);
    // Those that nobody counts on go first, and those whose owner may come back soon last.
    const further = idle.filter((lane) => lane.isFurther);
    const away = idle.filter((lane) => !this.#attended.has(lane.owner));
    const [first, ...others] = [further, away, idle].find((some) => some.length > 0) ?? [];
    if (!first) throw new HostError('overloaded', text, { hint: 'Call again when one of its calls has ended' });
    this.#close(others.reduce((oldest, lane) => (lane.idleSince < oldest.idleSince ? lane : oldest), first));
  }

  #onIdle(lane: Lane): void {
    // The server may ask on such a lane what belongs to a call that is over.
    if (this.#ending.has(lane) || (lane.isFurther && lane.hasAbandoned)) this.#close(lane);
    else this.#plan();
  }

  /** Sets the timer to when the next idle lane is due. */
  #plan(): void {
    if (this.#isClosed) return;
    let next = Infinity;
    for (const lane of this.#all) if (this.#mayGo(lane)) next = Math.min(next, dueOf(lane));
    if (next === Infinity || (this.#timer && this.#timerAt <= next)) return;
    this.#timer?.[Symbol.dispose]();
    this.#timerAt = next;
    this.#timer = this.#clock.after(Math.max(next - this.#clock.monotonic(), 0), () => {
      this.#timer = undefined;
      const now = this.#clock.monotonic();
      for (const lane of this.#all) if (this.#mayGo(lane) && dueOf(lane) <= now) this.#close(lane);
      this.#plan();
    });
  }

  #mayGo(lane: Lane): boolean {
    return lane.isIdle && (lane.isFurther || !this.#attended.has(lane.owner));
  }

  #remember(key: string): void {
    this.#former.delete(key);
    this.#former.add(key);
    for (const first of this.#former) {
      if (this.#former.size <= FORMER_LIMIT) return;
      this.#former.delete(first);
    }
  }

  #forget(lane: Lane): void {
    this.#all.delete(lane);
    this.#servers.get(lane.server)?.forget(lane);
  }

  /** The owner's client has gone, and may come back. */
  #leave(owner: string): void {
    this.#attended.delete(owner);
    for (const lane of this.#all) if (lane.owner === owner && lane.isIdle) lane.rest();
    this.#plan();
  }

  #close(lane: Lane): void {
    this.#forget(lane);
    this.#ending.get(lane)?.[Symbol.dispose]();
    this.#ending.delete(lane);
    if (this.#closing.has(lane)) return;
    const closing = lane[Symbol.asyncDispose]().finally(() => this.#closing.delete(lane));
    this.#closing.set(lane, closing);
  }
}

/** A connected client; there is one for each open stream. */
class Attendance implements Disposable {
  readonly #end: (owner: string) => void;
  #owner: string | undefined;

  constructor(owner: string, end: (owner: string) => void) {
    this.#owner = owner;
    this.#end = end;
  }

  [Symbol.dispose](): void {
    if (this.#owner !== undefined) this.#end(this.#owner);
    this.#owner = undefined;
  }
}

/** The lanes to one server, and what it may be told of each client. */
class ServerLanes {
  readonly server: LaneServer;
  /** By place. */
  readonly lanes = new Map<string, Lane>();
  /** The server has asked without saying for which call. */
  isAsking = false;
  readonly #terms = new WeakMap<Caller, LaneTerms>();
  /** Where the calls of clients went that may be several. */
  readonly #places = new WeakMap<Caller, string>();

  constructor(server: LaneServer) {
    this.server = server;
  }

  /**
   * Where a call goes: nearly always to the one lane of its client. Where the server asks, a client that may be several
   * has one call at a time on each lane, so that it is known whose question it is; also while a call waits for its answer.
   */
  placeOf(caller: Caller, key: string): string {
    if (!this.isAsking || caller.group?.mayBeSeveral !== true) return key;
    // The requests about a task go where its call went.
    const known = this.#places.get(caller);
    if (known !== undefined) return known;
    const places = Array.from({ length: PLACES }, (_, at) => (at === 0 ? key : `${key} ${at}`));
    return this.stayAt(caller, places.find((one) => this.lanes.get(one)?.isFree !== false) ?? key);
  }

  stayAt(caller: Caller, place: string): string {
    this.#places.set(caller, place);
    return place;
  }

  /** Where something is kept: a task with its call, a watch with its client. */
  heldPlaceOf(caller: Caller, key: string): string {
    const place = this.#places.get(caller) ?? key;
    if (caller.group?.mayBeSeveral === true) this.#places.set(caller, place);
    return place;
  }

  /** Computed once for each client, not for each of its calls. */
  termsOf(caller: Caller): LaneTerms {
    const group = groupOf(caller);
    const known = this.#terms.get(group);
    const owner = caller.lane ?? group.lane ?? '';
    if (known?.owner === owner) return known;
    const capabilities = this.server.declares(group);
    const terms = { owner, client: group, capabilities, key: keyOf([group.principal, owner, capabilities]) };
    this.#terms.set(group, terms);
    return terms;
  }

  forget(lane: Lane): void {
    for (const [key, one] of this.lanes) if (one === lane) this.lanes.delete(key);
  }
}

/** When an idle lane is closed, on the monotonic clock. */
function dueOf({ idleSince, isFurther }: Lane): number {
  return idleSince + (isFurther ? FURTHER_IDLE_MS : IDLE_MS);
}

/** Hashed, because a client chooses how long it is. */
function keyOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(canonicalJson(parts)).digest('base64url');
}

interface LaneTerms {
  readonly owner: string;
  readonly client: Caller;
  readonly capabilities: Caller['capabilities'];
  readonly key: string;
}

const LIMIT = 200; // each may be a process
const PRINCIPAL_LIMIT = 100; // one user may have many agents; half stays for the others
const PLACES = 20; // lanes of one client that may be several, to one server
const FURTHER_LIMIT = 20; // further lanes of one principal, each of which may be a process
const FURTHER_IDLE_MS = 60_000; // ms; nobody counts on what such a lane keeps
const IDLE_MS = 1_800_000; // ms; a client that comes back within half an hour finds its browser as it was
const GRACE_MS = 30_000; // ms for the calls in flight of a server that is to end
const FAILED_MS = 10_000;
const FORMER_LIMIT = 10_000;

function fullText(server: string, count: number, whose: string): string {
  return `Server "${server}" gets no further connection: all ${count} connections ${whose} are in use`;
}
