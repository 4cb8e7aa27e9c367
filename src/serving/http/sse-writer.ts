// https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { cutWhenUnread } from './cut-when-unread.js';

export interface SseWriterOptions {
  /** Headers besides those of every event stream, names and values in turn. */
  readonly headers?: readonly string[];
  /** Called once if the stream is cut because its client does not read. */
  readonly onCut?: () => void;
  /** How many bytes may wait for a client that does not read, in the socket, and as many again before it. */
  readonly unsentLimit?: number;
  /** How long a client may read nothing of what waits for it. */
  readonly unreadMs?: number | undefined;
}

/**
 * Writes the answer to a request as Server-Sent Events. The head is sent with the first event. After the end, or once
 * the client is gone, everything that is written is dropped.
 */
export class SseWriter {
  readonly #response: ServerResponse;
  readonly #onCut: (() => void) | undefined;
  readonly #unsentLimit: number;
  /** What waits until the client has read what was written before; nearly always nothing. */
  #waiting: WaitingText[] | undefined;
  /** Of what waits, without the events that are kept in any case. */
  #waitingSize = 0;
  readonly #unreadMs: number | undefined;
  #isGuarded = false;
  #state: 'open' | 'ended' | 'stopped' = 'open';

  constructor(
    response: ServerResponse,
    { headers = [], onCut, unsentLimit = UNSENT_LIMIT, unreadMs }: SseWriterOptions = {},
  ) {
    this.#response = response;
    this.#onCut = onCut;
    this.#unsentLimit = unsentLimit;
    this.#unreadMs = unreadMs;
    response.writeHead(200, [...HEADERS, ...headers]);
    // Node puts the head together from dozens of strings, and keeps them all unless it is written by itself.
    response.socket?.cork();
    response.flushHeaders();
    process.nextTick(uncork, response);
    // A stream may be open for days, and nobody reads any more what its request said.
    const { req } = response;
    req.headers = NO_HEADERS;
    req.rawHeaders = NO_RAW_HEADERS;
  }

  get isOpen(): boolean {
    return this.#state === 'open' && !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** Whether its client gets elsewhere what this one has not sent. */
  get isStopped(): boolean {
    return this.#state === 'stopped';
  }

  /** Whether the client has still to read some of it. */
  get isUnread(): boolean {
    const { destroyed, writableLength } = this.#response;
    return !destroyed && (this.#waiting !== undefined || writableLength > 0);
  }

  /** One event with JSON as its data. A client that comes back names the id of the last event that it has read. */
  event(id: string | undefined, json: string): void {
    this.#write(toEvent(id, json));
  }

  /** Events that are kept elsewhere: however many, they are written as the client reads. */
  replay(events: Iterable<{ readonly id: string; readonly json: string }>): void {
    for (const { id, json } of events) this.#write(toEvent(id, json), 0);
  }

  /** An event with a name, for clients of HTTP+SSE. The name is ours. */
  named(name: string, text: string): void {
    this.#write(`event: ${name}\ndata: ${withoutBreaks(text)}\n\n`);
  }

  /** An event without data, which no client takes for a message: it learns an id, and when to come back. */
  prime(id: string, retryMs?: number): void {
    this.#write(`${retryMs === undefined ? '' : toRetry(retryMs)}id: ${withoutBreaks(id)}\ndata:\n\n`);
  }

  /** A line that clients skip: keeps proxies from closing a stream that is silent. */
  comment(): void {
    if (!this.#waiting) this.#write(':\n\n');
  }

  /** How long a client waits before it comes back. */
  retry(ms: number): void {
    this.#write(`${toRetry(ms)}\n`);
  }

  /**
   * Ends the stream, best with its last event: in one packet. Nothing more will wait for the client, so that it is not
   * cut, however much it has still to read.
   */
  end(id?: string, json?: string): void {
    if (!this.isOpen) return;
    const text = json === undefined ? undefined : toEvent(id, json);
    if (!this.#waiting && (text === undefined || this.#hasRoom)) {
      this.#state = 'ended';
      this.#response.end(text);
      return this.#guard();
    }
    if (text !== undefined) this.#wait(text, 0);
    this.#state = 'ended';
    return undefined;
  }

  /** Ends the stream without what still waits: its client gets that elsewhere. */
  stop(): void {
    if (!this.isOpen) return;
    this.#state = 'stopped';
    this.#waiting = undefined;
    this.#response.end();
    this.#guard();
  }

  /** Looks at what was written before: a single event may be larger than the limit, and its client quick. */
  get #hasRoom(): boolean {
    return this.#response.writableLength <= this.#unsentLimit;
  }

  #write(text: string, size = text.length): void {
    if (!this.isOpen) return;
    if (!this.#waiting && this.#hasRoom) {
      this.#response.write(text);
      // Node writes at the end of the turn.
      if (!this.#isGuarded) process.nextTick(SseWriter.#guardLater, this);
      return;
    }
    if (this.#waitingSize > this.#unsentLimit) this.#cut();
    else this.#wait(text, size);
  }

  static #guardLater(this: void, writer: SseWriter): void {
    writer.#guard();
  }

  /** Has the client cut if it does not read. What the system takes at once, as nearly always, needs no timer. */
  #guard(): void {
    if (this.#isGuarded || this.#response.writableLength === 0) return;
    this.#isGuarded = true;
    cutWhenUnread(this.#response, this.#unreadMs);
  }

  #wait(text: string, size: number): void {
    if (!this.#waiting) this.#response.once('drain', () => this.#flush());
    (this.#waiting ??= []).push({ text, size });
    this.#waitingSize += size;
  }

  #flush(): void {
    const waiting = this.#waiting ?? [];
    if (this.#response.destroyed) return;
    let written = 0;
    for (const { text, size } of waiting) {
      if (!this.#hasRoom) break;
      this.#response.write(text);
      this.#waitingSize -= size;
      written++;
    }
    this.#waiting = written < waiting.length ? waiting.slice(written) : undefined;
    if (this.#waiting) this.#response.once('drain', () => this.#flush());
    else if (this.#state !== 'open') this.#response.end();
  }

  #cut(): void {
    this.#state = 'stopped';
    this.#waiting = undefined;
    this.#response.destroy();
    this.#onCut?.();
  }
}

interface WaitingText {
  readonly text: string;
  readonly size: number;
}

function uncork({ socket }: ServerResponse): void {
  socket?.uncork();
}

function toEvent(id: string | undefined, json: string): string {
  const data = `data: ${withoutBreaks(json)}\n\n`;
  return id === undefined ? data : `id: ${withoutBreaks(id)}\n${data}`;
}

function toRetry(ms: number): string {
  return `retry: ${Math.max(0, Math.round(ms))}\n`;
}

/** In JSON a line break is a blank between values, or forbidden. */
function withoutBreaks(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replaceAll(/[\r\n]/gu, ' ') : text;
}

/** Beyond, events wait, and beyond as many again the stream of a slow reader is cut; what it has missed it can ask for. */
const UNSENT_LIMIT = 1_000_000; // bytes
const NO_HEADERS: IncomingHttpHeaders = Object.freeze({});
const NO_RAW_HEADERS: string[] = [];
Object.freeze(NO_RAW_HEADERS);
const HEADERS = [
  'Content-Type',
  'text/event-stream',
  'Cache-Control',
  'no-cache, no-transform',
  // Proxies such as nginx would collect events before they pass them on.
  'X-Accel-Buffering',
  'no',
];
