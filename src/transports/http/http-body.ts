// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
import type { HostError } from '../../base/errors.js';
import { SseParser, type SseSink } from '../../edge/network/sse-parser.js';
import type { Clock } from '../../model/clock.js';
import type { RequestId } from '../../wire/message.js';
import type { RejectedMessage } from '../../wire/pipe.js';
import { SPILL_LIMIT } from '../../wire/message-reader.js';
import { type HttpMessageChannel, HttpMessageQueue, type HttpMessageQueueOwner } from './http-message-queue.js';
import type { HttpContext } from './http-context.js';

/** Whoever has a body to be read. */
export interface BodyOwner {
  /** The body has room again. */
  resume(): void;
  /** The rest of it is not wanted. */
  stop(): void;
  /** A message of it has been handed on, and there may be more. */
  handedOn(): void;
  /** An event of another name than `message` was passed over. */
  passedOver?(name: string): void;
  /** An event of its own stream that is no message, and not the answer either, as far as can be seen. False: nothing more is waited for. */
  malformed?(refusal: RejectedMessage, start: string): boolean;
  /** All of it has been handed on, and no more will come; `error` when it was cut off. */
  bodyEnded(error: HostError | undefined): void;
}

/** The body of a success: messages. */
export interface HttpBody {
  /** Where an event stream can be picked up again; empty when it cannot. */
  readonly lastEventId: string;
  /** What the server wants us to wait before that. */
  readonly retryMs: number | undefined;
  /** False: nothing more until `resume`. */
  take(bytes: Buffer): boolean;
  /** No more bytes will come; `error` when it was cut off. */
  end(error: HostError | undefined): void;
  /** Nobody wants it any more; its owner hears nothing further. */
  close(): void;
}

/** One JSON document: a message, or an array of them. */
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

/** Server-Sent Events, each of which is a message. */
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
    // The intake refuses long before that, and says why.
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
    // A stream that is always full would be read for ever in one turn of the event loop.
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
    // What has arrived is handed on first: the answer may be in it.
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
      this.#owner.passedOver?.(name);
    } else if (this.#messages.finish()) this.#owner.handedOn();
    else this.#parser.pause();
  }

  retry(milliseconds: number): void {
    this.#retryMs = milliseconds;
  }

  overflow(): void {
    const reason = 'its event has too many lines';
    if (!this.#isShared) this.#stop(reason);
    // The parser skips the rest of it, and the next one is somebody else's.
    else if (!this.#messages.refuse(reason)) this.#parser.pause();
  }

  /** Of an answer that is broken nobody waits for a better one; whatever else comes on the stream of a call may precede it. */
  passesOver(refusal: RejectedMessage, start: string): boolean {
    if (this.#origin === undefined || this.#state === 'stopping') return false;
    if (refusal.code !== 'bad-answer' || refusal.ids.includes(Number(this.#origin))) return false;
    return this.#owner.malformed?.(refusal, start) === true;
  }

  proceed(): void {
    if (this.#state === 'over') return;
    if (this.#state === 'stopping') return this.#finish();
    if (this.#stopIfRefused()) return;
    if (this.#messages.isEmpty) this.#owner.handedOn();
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

  /** One event too large to take: nothing behind it is waited for. */
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
