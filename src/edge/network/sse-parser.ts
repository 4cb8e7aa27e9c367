// Server-Sent Events: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
import { unreachable } from '../../base/never.js';

/** Receives the events. Contract: does not throw; may call `pause`. */
export interface SseSink {
  /** A part of the current event's data, not copied: a part of the pushed chunk, or the `\n` between lines. */
  data(bytes: Buffer): void;
  /** The event is complete, with the data since the last event. `message` when the server gave no name. */
  event(name: string): void;
  /** The reconnection time that the server asks for. */
  retry(milliseconds: number): void;
  /** The event has more bytes or lines of data than the limit; the rest of it is skipped. */
  overflow(): void;
}

/**
 * Turns bytes into events as they arrive. Stores no data, so an event may have any size; a comment, an unknown field or
 * a long name costs no memory either. Reads every byte once, whatever the chunks are.
 */
export class SseParser {
  readonly #sink: SseSink;
  readonly #eventLimit: number;
  #state: State = 'bom';
  #field: Field = 'skip';
  #name = '';
  #value = '';
  #byteOrderMark = 0;
  #afterReturn = false;
  #dataLines = 0;
  #dataBytes = 0;
  #eventName = '';
  #pendingId = '';
  #lastEventId = '';
  #isPaused = false;
  #rest: Buffer | undefined;
  #nextFeed = -1;
  #nextReturn = -1;

  constructor(sink: SseSink, options: { readonly eventLimit: number; readonly lastEventId?: string }) {
    this.#sink = sink;
    this.#eventLimit = options.eventLimit;
    this.#pendingId = this.#lastEventId = options.lastEventId ?? '';
  }

  /** Id of the last complete event that had one, a character per byte, valid in a header; empty without one. */
  get lastEventId(): string {
    return this.#lastEventId;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Called from within the sink: stops calls to it until `resume`, and keeps the rest of the chunk. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Continues with the kept rest; may end paused again. */
  resume(): void {
    this.#isPaused = false;
    const rest = this.#rest;
    this.#rest = undefined;
    if (rest !== undefined) this.push(rest);
  }

  /** The next bytes of the stream. Must not be called while paused. */
  push(chunk: Buffer): void {
    this.#nextFeed = this.#nextReturn = -1;
    let at = 0;
    while (at < chunk.length) {
      if (this.#isPaused) {
        this.#rest = chunk.subarray(at);
        return;
      }
      at = this.#step(chunk, at);
    }
  }

  #step(chunk: Buffer, at: number): number {
    switch (this.#state) {
      case 'bom':
        return this.#skipByteOrderMark(chunk, at);
      case 'line':
        return this.#startLine(chunk, at);
      case 'name':
        return this.#readName(chunk, at);
      case 'blank':
        this.#state = 'value';
        return chunk[at] === BLANK ? at + 1 : at;
      case 'value':
        return this.#readValue(chunk, at);
      default:
        return unreachable(this.#state);
    }
  }

  #skipByteOrderMark(chunk: Buffer, at: number): number {
    if (chunk[at] === BYTE_ORDER_MARK[this.#byteOrderMark]) {
      if (++this.#byteOrderMark === BYTE_ORDER_MARK.length) this.#state = 'line';
      return at + 1;
    }
    // A partial byte order mark begins an unknown field.
    this.#state = this.#byteOrderMark === 0 ? 'line' : 'value';
    return at;
  }

  #startLine(chunk: Buffer, at: number): number {
    const byte = chunk[at];
    if (this.#afterReturn) {
      this.#afterReturn = false;
      if (byte === FEED) return at + 1;
    }
    if (byte === FEED || byte === RETURN) {
      this.#afterReturn = byte === RETURN;
      this.#endEvent();
      return at + 1;
    }
    if (isData(chunk, at)) {
      this.#startValue('data', 'blank');
      return at + DATA.length;
    }
    this.#state = 'name';
    this.#name = '';
    return at;
  }

  #readName(chunk: Buffer, at: number): number {
    let position = at;
    while (position < chunk.length) {
      const byte = chunk[position]!;
      if (byte === COLON) {
        this.#startValue(fields.get(this.#name) ?? 'skip', 'blank');
        return position + 1;
      }
      if (byte === FEED || byte === RETURN) {
        this.#startValue(fields.get(this.#name) ?? 'skip', 'value');
        return position;
      }
      if (this.#name.length === LONGEST_NAME) {
        this.#field = 'skip';
        this.#state = 'value';
        return position;
      }
      this.#name += String.fromCharCode(byte);
      position++;
    }
    return position;
  }

  #startValue(field: Field, state: 'blank' | 'value'): void {
    this.#state = state;
    this.#field = field;
    this.#value = '';
    if (field === 'data' && this.#dataLines++ > 0) this.#data(NEWLINE);
  }

  #readValue(chunk: Buffer, at: number): number {
    const end = this.#lineEnd(chunk, at);
    if (end > at) {
      if (this.#field === 'data') this.#data(at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end));
      else if (this.#field !== 'skip' && this.#value.length <= VALUE_LIMIT) {
        this.#value += chunk.toString('latin1', at, Math.min(end, at + VALUE_LIMIT + 1));
      }
      return end;
    }
    this.#endLine();
    this.#state = 'line';
    this.#afterReturn = chunk[at] === RETURN;
    return at + 1;
  }

  /** Searches for either line end once per chunk, not once per line: a chunk may have one kind only. */
  #lineEnd(chunk: Buffer, from: number): number {
    if (this.#nextFeed < from) this.#nextFeed = indexOrEnd(chunk, FEED, from);
    if (this.#nextReturn < from) this.#nextReturn = indexOrEnd(chunk, RETURN, from);
    return Math.min(this.#nextFeed, this.#nextReturn);
  }

  #data(bytes: Buffer): void {
    if (this.#dataBytes > this.#eventLimit) return;
    this.#dataBytes = this.#dataLines > LINE_LIMIT ? Infinity : this.#dataBytes + bytes.length;
    if (this.#dataBytes > this.#eventLimit) this.#sink.overflow();
    else this.#sink.data(bytes);
  }

  #endLine(): void {
    const value = this.#value;
    switch (this.#field) {
      case 'event':
        this.#eventName = value;
        break;
      case 'id':
        // An id that cannot be sent in a header is ignored: the last valid one still says where to resume.
        if (value.length <= VALUE_LIMIT && !UNSENDABLE.test(value)) this.#pendingId = value;
        break;
      case 'retry':
        if (DIGITS.test(value)) this.#sink.retry(Math.min(Number(value), RETRY_LIMIT));
        break;
      case 'data':
      case 'skip':
    }
    this.#field = 'skip';
  }

  #endEvent(): void {
    this.#lastEventId = this.#pendingId;
    const isEvent = this.#dataLines > 0;
    const name = this.#eventName === '' ? 'message' : this.#eventName;
    this.#dataLines = this.#dataBytes = 0;
    this.#eventName = '';
    if (isEvent) this.#sink.event(name);
  }
}

type State = 'bom' | 'line' | 'name' | 'blank' | 'value';
type Field = 'data' | 'event' | 'id' | 'retry' | 'skip';
const fields: ReadonlyMap<string, Field> = new Map([
  ['data', 'data'],
  ['event', 'event'],
  ['id', 'id'],
  ['retry', 'retry'],
]);

const FEED = 0x0a;
const RETURN = 0x0d;
const BLANK = 0x20;
const COLON = 0x3a;
const NEWLINE = Buffer.from('\n');
const DATA = [0x64, 0x61, 0x74, 0x61, COLON];
const NEAR = 16; // bytes; up to here a loop is faster than `indexOf`
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const LONGEST_NAME = 5; // event, retry: a longer name is unknown
const LINE_LIMIT = 100_000; // lines of data in one event: each costs time, and JSON needs only one
const VALUE_LIMIT = 1024; // characters of an id, an event name or a retry; ids are sent back in a header
const RETRY_LIMIT = 3_600_000; // an hour; a server that asks for more will have forgotten the stream
const DIGITS = /^\d{1,15}$/;
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

/** A fast path: nine lines of ten begin so. */
function isData(chunk: Buffer, at: number): boolean {
  if (at + DATA.length > chunk.length) return false;
  return (
    chunk[at] === DATA[0] &&
    chunk[at + 1] === DATA[1] &&
    chunk[at + 2] === DATA[2] &&
    chunk[at + 3] === DATA[3] &&
    chunk[at + 4] === DATA[4]
  );
}

function indexOrEnd(chunk: Buffer, byte: number, from: number): number {
  const near = Math.min(from + NEAR, chunk.length);
  for (let at = from; at < near; at++) if (chunk[at] === byte) return at;
  const index = chunk.indexOf(byte, near);
  return index === -1 ? chunk.length : index;
}
