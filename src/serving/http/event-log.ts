// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
import { createHash } from 'node:crypto';
import { LinkedList } from '../../base/collections/linked-list.js';
import { randomHex } from '../../edge/random-hex.js';
import type { Clock } from '../../model/clock.js';

export interface LoggedEvent {
  /** The log, the stream and the number of the event, as clients send it back in `Last-Event-ID`. */
  readonly id: string;
  readonly json: string;
}

/** What a client may ask for with `Last-Event-ID`. */
export type Missed =
  /** The events after that one, and the stream to follow. */
  | { readonly kind: 'found'; readonly stream: LoggedStream; readonly events: readonly LoggedEvent[] }
  /** The stream was of this session, but not all that followed is still kept. */
  | { readonly kind: 'gone' }
  /** The id is of this session, but from before a restart, or from before all its events were forgotten. */
  | { readonly kind: 'earlier' }
  /** No id of this session. */
  | { readonly kind: 'unknown' };

export interface EventLimits {
  /** Of one session. */
  readonly events: number;
  /** Of one session, and of all. */
  readonly size: number;
  readonly sizeOfAll: number;
  readonly ms: number;
}

export const EVENT_LIMITS: EventLimits = { events: 1_000, size: 4_000_000, sizeOfAll: 256_000_000, ms: 600_000 };

/** The logs of all legacy sessions that have event streams. Memory is held only for sessions that have events. */
export class EventLogs implements Disposable {
  readonly #clock: Clock;
  readonly #limits: EventLimits;
  /** By session; the one that grew last is at the end. */
  readonly #logs = new Map<string, EventLog>();
  #size = 0;
  #timer: Disposable | undefined;

  constructor(clock: Clock, limits: EventLimits = EVENT_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** How many sessions have a log. */
  get count(): number {
    return this.#logs.size;
  }

  /** A new stream of a session, for one answer or for what a GET request listens to. It has to be ended. */
  open(session: string): LoggedStream {
    const known = this.#logs.get(session);
    if (known) return known.open();
    const log = new EventLog(this.#clock, this.#limits, { session, logs: this });
    this.#logs.set(session, log);
    this.#timer ??= this.#clock.after(this.#sweepMs, () => this.#sweep());
    return log.open();
  }

  /** What followed the event with this id. */
  after(session: string, eventId: string): Missed {
    const parts = EVENT_ID.exec(eventId);
    const [, mark = '', stream = '', number = ''] = parts ?? [];
    if (!parts || !mark.startsWith(sessionMark(session))) return UNKNOWN;
    const log = this.#logs.get(session);
    return log?.mark === mark ? log.after(stream, Number(number)) : EARLIER;
  }

  /** The session has ended: its streams are not logged any more. */
  drop(session: string): void {
    const log = this.#logs.get(session);
    this.#logs.delete(session);
    log?.close();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    for (const session of this.#logs.keys()) this.drop(session);
  }

  /** For a log alone, which has become so much larger or smaller. */
  grew(session: string, log: EventLog, grown: number): void {
    this.#size += grown;
    if (grown <= 0) return;
    this.#logs.delete(session);
    this.#logs.set(session, log);
    for (const oldest of this.#logs.values()) {
      if (this.#size <= this.#limits.sizeOfAll) break;
      oldest.clear();
    }
  }

  #sweep(): void {
    this.#timer = undefined;
    for (const [session, log] of this.#logs) if (!log.expire()) this.#logs.delete(session);
    if (this.#logs.size > 0) this.#timer = this.#clock.after(this.#sweepMs, () => this.#sweep());
  }

  get #sweepMs(): number {
    return this.#limits.ms / 10;
  }
}

/** The events of one session's streams, for a client that lost its connection and comes back. */
class EventLog {
  readonly #clock: Clock;
  readonly #limits: EventLimits;
  readonly #place: LogPlace;
  /** In every id, so that an id of another session is none of this one, and one from before a restart is known as such. */
  readonly mark: string;
  readonly #streams = new LinkedList<LoggedStream>();
  /** Of all streams, oldest first, from `#first` on. */
  #kept: KeptEvent[] = [];
  #first = 0;
  #size = 0;
  #opened = 0;
  #isClosed = false;

  constructor(clock: Clock, limits: EventLimits, place: LogPlace) {
    this.#clock = clock;
    this.#limits = limits;
    this.#place = place;
    this.mark = `${sessionMark(place.session)}${randomHex(LOG_MARK_BYTES)}`;
  }

  open(): LoggedStream {
    const stream = new LoggedStream(`${this.mark}${(this.#opened++).toString(36)}`, this);
    stream.place = this.#streams.add(stream);
    return stream;
  }

  /** The monotonic clock, for a stream of this log alone. */
  now(): number {
    return this.#clock.monotonic();
  }

  after(streamNumber: string, number: number): Missed {
    this.expire();
    const id = `${this.mark}${streamNumber}`;
    const stream = this.#streams.findLast((one) => one.id === id);
    if (!stream) return this.#wasOpened(streamNumber) ? GONE : UNKNOWN;
    if (number > stream.last) return UNKNOWN;
    if (number < stream.dropped) return GONE;
    const events = this.#kept
      .slice(this.#first)
      .filter((one) => one.stream === stream && one.number > number)
      .map(({ event }) => event);
    return { kind: 'found', stream, events };
  }

  /** Drops what is too old. Whether the log is still of use: it has events, or a stream that goes on. */
  expire(): boolean {
    const before = this.#clock.monotonic() - this.#limits.ms;
    while (this.#first < this.#kept.length && this.#kept[this.#first]!.at <= before) this.#dropFirst();
    return this.#streams.size > 0;
  }

  /** Forgets all events. Streams that go on can be followed, but not from an earlier event. */
  clear(): void {
    while (this.#first < this.#kept.length) this.#dropFirst();
  }

  close(): void {
    this.#isClosed = true;
    this.clear();
  }

  /** For a stream of this log alone. */
  keep(stream: LoggedStream, event: LoggedEvent): void {
    if (this.#isClosed) {
      stream.dropped = stream.last;
      return;
    }
    const size = event.json.length + EVENT_COST;
    this.#kept.push({ stream, event, number: stream.last, size, at: this.#clock.monotonic() });
    this.#size += size;
    const { events, size: limit } = this.#limits;
    let dropped = 0;
    while (this.#kept.length - this.#first > events || this.#size > limit) dropped += this.#dropOldest();
    this.#grew(size - dropped);
  }

  #dropFirst(): void {
    this.#grew(-this.#dropOldest());
  }

  #grew(grown: number): void {
    this.#place.logs.grew(this.#place.session, this, grown);
  }

  /** Returns the size of the event that was dropped. */
  #dropOldest(): number {
    const { stream, number, size } = this.#kept[this.#first++]!;
    this.#size -= size;
    stream.dropped = number;
    if (stream.isEnded && stream.last === number) stream.place?.[Symbol.dispose]();
    if (this.#first * 2 > this.#kept.length) {
      this.#kept = this.#kept.slice(this.#first);
      this.#first = 0;
    }
    return size;
  }

  #wasOpened(text: string): boolean {
    const number = Number.parseInt(text, 36);
    return number < this.#opened && number.toString(36) === text;
  }
}

/** The same in each run. */
function sessionMark(session: string): string {
  return createHash('sha256').update(session).digest('hex').slice(0, SESSION_MARK_LENGTH);
}

interface LogPlace {
  readonly session: string;
  readonly logs: EventLogs;
}

interface KeptEvent {
  readonly stream: LoggedStream;
  readonly event: LoggedEvent;
  readonly number: number;
  readonly size: number;
  /** When it was logged, on the monotonic clock. */
  readonly at: number;
}

/** One stream of a session. It goes on when its connection is lost, and has one reader at a time. */
export class LoggedStream {
  readonly id: string;
  /** Number of the last event; 0 before the first one. */
  last = 0;
  /** Number of the last event that is no longer kept. */
  dropped = 0;
  isEnded = false;
  /** Among the streams of its log, for the log. */
  place: Disposable | undefined;
  readonly #log: EventLog;
  #reader: StreamReader | undefined;
  #unreadSince: number;

  /** Made by `EventLogs.open`. */
  constructor(id: string, log: EventLog) {
    this.id = id;
    this.#log = log;
    this.#unreadSince = log.now();
  }

  /** The id from which all events of the stream follow, for a priming event. */
  get firstId(): string {
    return `${this.id}-0`;
  }

  /** Since when no connection carries the stream, on the monotonic clock; undefined while one does. */
  get unreadSince(): number | undefined {
    return this.#reader ? undefined : this.#unreadSince;
  }

  /** Logs an event, and hands it to the connection that carries the stream. */
  append(json: string): void {
    if (this.isEnded) return;
    const event = this.#keep(json);
    this.#reader?.event(event);
  }

  /**
   * The stream has its last event, or ends with this one. The connection that carries it is told, and a later one that
   * has read all.
   */
  end(json?: string): void {
    if (this.isEnded) return;
    const event = json === undefined ? undefined : this.#keep(json);
    this.isEnded = true;
    if (this.last === this.dropped) this.place?.[Symbol.dispose]();
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.end(event);
  }

  #keep(json: string): LoggedEvent {
    this.last++;
    const event: LoggedEvent = { id: `${this.id}-${this.last}`, json };
    this.#log.keep(this, event);
    return event;
  }

  /**
   * Has a connection carry the stream. One that carried it before is told that it is replaced: its client has come back
   * before we have seen that it was lost.
   */
  attach(reader: StreamReader): void {
    const before = this.#reader;
    this.#reader = reader;
    before?.replaced();
    if (this.isEnded) {
      this.#reader = undefined;
      reader.end();
    }
  }

  /** The connection is lost. */
  detach(reader: StreamReader): void {
    if (this.#reader !== reader) return;
    this.#reader = undefined;
    this.#unreadSince = this.#log.now();
  }
}

/** The connection that carries a stream. Contract: must not throw. */
export interface StreamReader {
  event(event: LoggedEvent): void;
  /** The stream has ended, with this event: so does the response. */
  end(last?: LoggedEvent): void;
  /** Another connection carries the stream now. */
  replaced(): void;
}

const UNKNOWN: Missed = { kind: 'unknown' };
const GONE: Missed = { kind: 'gone' };
const EARLIER: Missed = { kind: 'earlier' };
const SESSION_MARK_LENGTH = 8;
const LOG_MARK_BYTES = 4;
/** The mark of a log, the number of a stream in it, and the number of an event there. */
const EVENT_ID = /^([\da-f]{16})([\da-z]{1,9})-(0|[1-9]\d{0,14})$/u;
const EVENT_COST = 200; // bytes that an event takes besides its text
