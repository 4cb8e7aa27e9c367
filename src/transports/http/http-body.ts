// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
import type { HostError } from '../../base/errors.js';
import { SseParser, type SseSink } from '../../edge/network/sse-parser.js';
import type { Clock } from '../../model/clock.js';
import type { RequestId } from '../../wire/message.js';
import type { RejectedMessage } from '../../wire/pipe.js';
import { SPILL_LIMIT } from '../../wire/message-reader.js';
import { type HttpMessageChannel, HttpMessageQueue, type HttpMessageQueueOwner } from './http-message-queue.js';
import type { HttpContext } from './http-context.js';

/** The reader of a response body. */
export interface BodyOwner {
  /** The body accepts bytes again after `take` returned false. */
  resume(): void;
  /** The rest of the body is not needed: the response can be aborted. */
  stop(): void;
  /** A message has been passed to the receiver; more may follow. */
  messageDelivered(): void;
  /** An event with a name other than `message` was skipped. */
  eventSkipped?(name: string): void;
  /** An event on the call's own stream is invalid and apparently not the response. False: stop waiting for it. */
  malformed?(refusal: RejectedMessage, start: string): boolean;
  /** All messages have been passed on and no more will come. `error` is set when the body was cut off. */
  bodyEnded(error: HostError | undefined): void;
}

/** The body of a successful response, which holds messages. */
export interface HttpBody {
  /** The event id to resume the stream after; empty when the stream cannot be resumed. */
  readonly lastEventId: string;
  /** Milliseconds to wait before resuming, as the server asked. */
  readonly retryMs: number | undefined;
  /** Returns false to pause until `BodyOwner.resume`. */
  take(bytes: Buffer): boolean;
  /** No more bytes will come. `error` is set when the body was cut off. */
  end(error: HostError | undefined): void;
  /** Drops the body; its owner gets no further callback. */
  close(): void;
}

/** A body that is one JSON document: a message, or an array of messages. */
export class JsonBody implements HttpBody, HttpMessageQueueOwner {
  readonly lastEventId = '';
  readonly retryMs = undefined;
  readonly #owner: BodyOwner;
  readonly #messages: HttpMessageQueue;
  #state: 'reading' | 'ended' | 'over' = 'reading';

  constructor(context: HttpContext, owner: BodyOwner, origin: RequestId) {
    this.#owner = owner;
    this.#messages = new HttpMessageQueue(context, { origin }, this);
  }

  take(bytes: Buffer): boolean {
    const goesOn = this.#messages.push(bytes);
    if (goesOn) this.#stopIfRefused();
    return goesOn;
  }

  end(error: HostError | undefined): void {
    if (this.#state !== 'reading') return;
    this.#state = 'ended';
    if (error !== undefined) this.#finish(error);
    else if (this.#messages.finish()) this.#finish(undefined);
  }

  close(): void {
    this.#state = 'over';
    this.#messages.close();
  }

  proceed(): void {
    if (this.#state === 'ended') this.#finish(undefined);
    else if (this.#state === 'reading' && !this.#stopIfRefused()) this.#owner.resume();
  }

  #stopIfRefused(): boolean {
    if (!this.#messages.isRefused) return false;
    this.#owner.stop();
    this.#state = 'ended';
    if (this.#messages.refuse()) this.#finish(undefined);
    return true;
  }

  #finish(error: HostError | undefined): void {
    this.#state = 'over';
    this.#messages.discard();
    this.#owner.bodyEnded(error);
  }
}

/** A body of Server-Sent Events, each of which holds one message. */
export class EventBody implements HttpBody, HttpMessageQueueOwner, SseSink {
  readonly #owner: BodyOwner;
  readonly #messages: HttpMessageQueue;
  readonly #parser: SseParser;
  readonly #isShared: boolean;
  readonly #origin: RequestId | undefined;
  #state: 'reading' | 'stopping' | 'ended' | 'over' = 'reading';
  #error: HostError | undefined;
  #retryMs: number | undefined;
  readonly #clock: Clock;
  #turnBytes = 0;

  constructor(context: HttpContext, owner: BodyOwner, options: HttpMessageChannel & { readonly lastEventId: string }) {
    this.#owner = owner;
    this.#clock = context.clock;
    this.#isShared = options.isShared ?? false;
    this.#origin = options.origin;
    this.#messages = new HttpMessageQueue(context, options, this);
    // Twice the limit of `HttpMessageQueue`, which refuses such an event first and with a reason.
    this.#parser = new SseParser(this, { eventLimit: 2 * SPILL_LIMIT, lastEventId: options.lastEventId });
  }

  get lastEventId(): string {
    return this.#parser.lastEventId;
  }

  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  take(bytes: Buffer): boolean {
    this.#parser.push(bytes);
    if (this.#parser.isPaused) return false;
    this.#turnBytes += bytes.length;
    if (this.#turnBytes < TURN_BYTES) return true;
    // Yields to the event loop after `TURN_BYTES`: a stream that always has data would otherwise block it.
    this.#turnBytes = 0;
    this.#clock.soon(() => {
      if (this.#state === 'reading' && !this.#parser.isPaused) this.#owner.resume();
    });
    return false;
  }

  end(error: HostError | undefined): void {
    if (this.#state !== 'reading') return;
    this.#state = 'ended';
    this.#error = error;
    // Events that have arrived are delivered first: the response may be among them.
    if (!this.#parser.isPaused) this.#finish();
  }

  close(): void {
    this.#state = 'over';
    this.#parser.pause();
    this.#messages.close();
  }

  data(bytes: Buffer): void {
    if (!this.#messages.push(bytes)) this.#parser.pause();
    else this.#stopIfRefused();
  }

  event(name: string): void {
    if (this.#messages.isEmpty) return;
    if (name !== 'message') {
      this.#messages.discard();
      this.#owner.eventSkipped?.(name);
    } else if (this.#messages.finish()) this.#owner.messageDelivered();
    else this.#parser.pause();
  }

  retry(milliseconds: number): void {
    this.#retryMs = milliseconds;
  }

  overflow(): void {
    const reason = 'its event has too many lines';
    if (!this.#isShared) this.#stop(reason);
    // The parser skips the rest of this event; the next event belongs to another request.
    else if (!this.#messages.refuse(reason)) this.#parser.pause();
  }

  /** Whether to wait on after an invalid message. An invalid response is final; others may precede the response. */
  passesOver(refusal: RejectedMessage, start: string): boolean {
    if (this.#origin === undefined || this.#state === 'stopping') return false;
    if (refusal.code !== 'bad-answer' || refusal.ids.includes(Number(this.#origin))) return false;
    return this.#owner.malformed?.(refusal, start) === true;
  }

  proceed(): void {
    if (this.#state === 'over') return;
    if (this.#state === 'stopping') return this.#finish();
    if (this.#stopIfRefused()) return;
    if (this.#messages.isEmpty) this.#owner.messageDelivered();
    this.#parser.resume();
    if (this.#parser.isPaused) return;
    if (this.#state === 'ended') this.#finish();
    else this.#owner.resume();
  }

  #stopIfRefused(): boolean {
    if (!this.#messages.isRefused) return false;
    this.#stop();
    return true;
  }

  /** Ends the body at an event that is too large; nothing after it is read. */
  #stop(reason?: string): void {
    this.#state = 'stopping';
    this.#parser.pause();
    this.#owner.stop();
    if (this.#messages.refuse(reason)) this.#finish();
  }

  #finish(): void {
    this.#state = 'over';
    this.#parser.pause();
    this.#messages.discard();
    this.#owner.bodyEnded(this.#error);
  }
}

const TURN_BYTES = 131_072;
