// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
import type { ServerResponse } from 'node:http';
import type { Outlet, ResponseMessage } from '../outgoing.js';
import type { LoggedStream } from './event-log.js';
import type { OpenResponse, OpenStreams } from './open-streams.js';
import { carryStream } from './carry-stream.js';
import { cutWhenUnread } from './cut-when-unread.js';
import { SseWriter } from './sse-writer.js';

export interface HttpOutletOptions {
  readonly response: ServerResponse;
  /** Headers of the answer besides its type, names and values in turn. */
  readonly headers: readonly string[];
  /** The client takes an event stream, too. */
  readonly takesStream: boolean;
  /** The client takes nothing but an event stream. */
  readonly takesOnlyStream: boolean;
  readonly streams: OpenStreams;
  /** Whether the client knows events without data. */
  readonly isPrimed: boolean;
  /** The request asks for messages that belong to none, for as long as its client listens. */
  readonly isSubscription: boolean;
  /** For legacy sessions: what makes the stream one that a client can come back to. */
  readonly openEvents?: (() => LoggedStream) | undefined;
}

/**
 * The response to one POST: JSON, unless something has to be said before the result, or the result takes long; then an
 * event stream.
 */
export class HttpOutlet implements Outlet, OpenResponse {
  readonly #options: HttpOutletOptions;
  /** Set while the response is an event stream: of a legacy session, or of its own. */
  #events: LoggedStream | undefined;
  #reading: Disposable | undefined;
  #writer: SseWriter | undefined;
  /** Among the open responses. */
  #place: Disposable | undefined;
  #isOver = false;
  #onGone: (() => Disposable | undefined) | undefined;
  /** What waits for the client to come back. */
  #return: Disposable | undefined;

  constructor(options: HttpOutletOptions) {
    this.#options = options;
    const { response, streams, takesStream, takesOnlyStream } = options;
    response.on('close', () => this.#closed());
    if (takesOnlyStream || (takesStream && streams.isImmediate)) this.startStream();
    else this.#place = takesStream ? streams.wait(this) : streams.hold(this);
  }

  /** What a client can come back to; undefined before there is an event stream. */
  get events(): LoggedStream | undefined {
    return this.#events;
  }

  get isStanding(): boolean {
    return this.#options.isSubscription || this.#writer?.isStopped === true;
  }

  get isStream(): boolean {
    return this.#writer !== undefined;
  }

  /** Called once if the client closes the connection before the response is complete; disposed of when it is. */
  onGone(run: () => Disposable | undefined): void {
    this.#onGone = run;
  }

  startStream(): void {
    const { response, headers, streams, openEvents } = this.#options;
    if (this.#writer || this.#isOver || response.destroyed) return;
    this.#writer = new SseWriter(response, { headers, unreadMs: streams.unreadMs });
    this.#place?.[Symbol.dispose]();
    this.#place = streams.began(this);
    this.#events = openEvents?.();
    if (this.#events) this.#reading = carryStream(this.#events, this.#writer, { isPrimed: this.#options.isPrimed });
    // The head goes with the first bytes: so that they are sent now.
    else this.#writer.comment();
  }

  keepAlive(): void {
    this.#writer?.comment();
  }

  send(text: string): boolean {
    if (this.#isOver || !this.#options.takesStream) return false;
    this.startStream();
    if (this.#events) {
      this.#events.append(text);
      return true;
    }
    if (this.#writer?.isOpen !== true) return false;
    this.#writer.event(undefined, text);
    return true;
  }

  reply(message: ResponseMessage, status = 200): void {
    if (!this.#end()) return;
    if (this.#writer) return this.#endStream(this.#writer, String(message));
    this.#place?.[Symbol.dispose]();
    const { response, headers, streams } = this.#options;
    if (response.destroyed) return;
    // With its length Node sends head and body in one piece; without, it would send them in chunks.
    const length = String(typeof message === 'string' ? Buffer.byteLength(message) : message.byteLength);
    response.writeHead(status, ['Content-Type', 'application/json', 'Content-Length', length, ...headers]);
    if (typeof message === 'string') response.end(message);
    else {
      for (const part of message.parts) response.write(part);
      response.end();
    }
    if (response.writableLength === 0) return;
    // It is kept until the client has read it.
    this.#place = streams.hold(this);
    cutWhenUnread(response, streams.unreadMs);
  }

  drop(): void {
    if (!this.#end()) return;
    if (this.#writer) return this.#endStream(this.#writer);
    this.#place?.[Symbol.dispose]();
    const { response, headers } = this.#options;
    if (!response.destroyed) response.writeHead(202, [...headers]).end();
  }

  /** It counts as open until the client has read it. */
  #endStream(writer: SseWriter, last?: string): void {
    if (this.#events) this.#events.end(last);
    else writer.end(undefined, last);
    if (!writer.isUnread) this.#place?.[Symbol.dispose]();
  }

  #end(): boolean {
    this.#return?.[Symbol.dispose]();
    if (this.#isOver) return false;
    this.#isOver = true;
    return true;
  }

  #closed(): void {
    this.#place?.[Symbol.dispose]();
    this.#reading?.[Symbol.dispose]();
    if (this.#isOver) return;
    // The events of a legacy session go on without it; what they are a response to does too, for a while.
    if (!this.#events) this.#isOver = true;
    this.#return = this.#onGone?.();
  }
}
