import type { RequestId } from '../../wire/message.js';
import { type ReadOutcome, MEMORY_LIMIT, MessageReader, parseMessage, SPILL_LIMIT } from '../../wire/message-reader.js';
import type { RejectedMessage } from '../../wire/pipe.js';
import type { SpillStore } from '../../model/spilled.js';
import type { HttpContext } from './http-context.js';

/** Who waits while an intake is busy. */
export interface HttpMessageQueueOwner {
  /** The intake can take more. Called once for every time it said no. */
  proceed(): void;
  /** Whether a message that cannot be taken is passed over, and others are waited for. `start`: how it begins. */
  passesOver?(refusal: RejectedMessage, start: string): boolean;
}

/** Whose messages come on a channel. */
export interface HttpMessageChannel {
  /** The request whose own channel it is. */
  readonly origin?: RequestId | undefined;
  /** The answers to all requests come on it, so that one message that cannot be taken must not cost the others. */
  readonly isShared?: boolean | undefined;
}

/** Bytes of one message after the other, handed on to the receiver as messages, in order and no faster than it may be. */
export class HttpMessageQueue {
  readonly #context: HttpContext;
  readonly #origin: RequestId | undefined;
  readonly #isShared: boolean;
  readonly #owner: HttpMessageQueueOwner;
  #first: Buffer | undefined;
  /** How the message begins. */
  #start: Buffer | undefined;
  #reader: MessageReader | undefined;
  #smallChunks: Buffer | undefined;
  #smallChunkBytes = 0;
  #hasPlace = false;
  #stopped: RejectedMessage | undefined;
  #isClosed = false;

  constructor(context: HttpContext, { origin, isShared = false }: HttpMessageChannel, owner: HttpMessageQueueOwner) {
    this.#context = context;
    this.#origin = origin;
    this.#isShared = isShared;
    this.#owner = owner;
  }

  get isEmpty(): boolean {
    return this.#first === undefined && this.#reader === undefined;
  }

  /** Nothing that follows can make the message acceptable; where others come behind it, it is read to its end even so. */
  get isRefused(): boolean {
    const reader = this.#reader;
    return reader !== undefined && (this.#isShared ? reader.bytes > SPILL_LIMIT : reader.isRefused);
  }

  /** False: nothing more until `proceed`. */
  push(bytes: Buffer): boolean {
    if (this.isEmpty) {
      // Most messages come in one piece and need no reader.
      this.#first = this.#start = bytes;
      return true;
    }
    const wait = this.#add(this.#ensureReader(), bytes);
    if (wait === undefined) return true;
    void this.#waitFor(wait);
    return false;
  }

  /** The message is complete. False: it will have been handed on at the next `proceed`. */
  finish(): boolean {
    const first = this.#first;
    const reader = this.#reader;
    if (first === undefined && reader === undefined) return true;
    const outcome = reader ? this.#end(reader) : parseMessage(first!, this.#context.clock);
    const bytes = reader?.bytes ?? first!.length;
    this.#first = this.#reader = undefined;
    if (!(outcome instanceof Promise)) return this.#deliver(outcome, bytes);
    void this.#deliverLate(outcome, bytes);
    return false;
  }

  /** The message is refused before its end, which would not help it; for its size, unless there is more to say. As `finish`. */
  refuse(reason?: string): boolean {
    this.#stopped = reason === undefined ? TOO_LARGE : { ...TOO_LARGE, reason };
    return this.finish();
  }

  /** There will be no end of this message. */
  discard(): void {
    void this.#reader?.discard();
    this.#first = this.#reader = undefined;
    this.#smallChunkBytes = 0;
  }

  /** Nobody is there any more to hand anything on to. */
  close(): void {
    this.#isClosed = true;
    this.discard();
  }

  #ensureReader(): MessageReader {
    if (this.#reader) return this.#reader;
    const reader = new MessageReader({ clock: this.#context.clock, spillFor: (id) => this.#spillFor(id) });
    void reader.push(this.#first!);
    this.#first = undefined;
    this.#reader = reader;
    return reader;
  }

  /** A server may send sixteen million pieces of a byte each; kept one by one they would fill a gigabyte. */
  #add(reader: MessageReader, bytes: Buffer): Promise<void> | undefined {
    if (bytes.length < SMALL_CHUNK && this.#smallChunkBytes + bytes.length <= SMALL_CHUNKS) {
      this.#smallChunks ??= Buffer.allocUnsafe(SMALL_CHUNKS);
      if (bytes.length === 1) this.#smallChunks[this.#smallChunkBytes++] = bytes[0]!;
      else this.#smallChunkBytes += bytes.copy(this.#smallChunks, this.#smallChunkBytes);
      return undefined;
    }
    return reader.push(this.#smallChunkBytes === 0 ? bytes : Buffer.concat([this.#takeSmallChunks(), bytes]));
  }

  #end(reader: MessageReader): ReadOutcome | Promise<ReadOutcome> {
    const wait = this.#smallChunkBytes === 0 ? undefined : reader.push(Buffer.from(this.#takeSmallChunks()));
    return wait === undefined ? reader.end() : wait.then(() => reader.end());
  }

  #takeSmallChunks(): Buffer {
    const smallChunks = this.#smallChunks!.subarray(0, this.#smallChunkBytes);
    this.#smallChunkBytes = 0;
    return smallChunks;
  }

  #spillFor(id: RequestId | undefined): SpillStore | undefined {
    // On a request's own channel nothing large is taken but its answer.
    if (id !== undefined && this.#origin !== undefined && Number(id) !== Number(this.#origin)) return undefined;
    const store = this.#context.receiver.spillFor(this.#origin ?? id);
    this.#hasPlace = store !== undefined;
    return store;
  }

  async #deliverLate(outcome: Promise<ReadOutcome>, bytes: number): Promise<void> {
    const late = await outcome;
    if (!this.#isClosed && this.#deliver(late, bytes)) this.#owner.proceed();
  }

  #deliver(outcome: ReadOutcome, bytes: number): boolean {
    const { receiver, unsolicitedLimit } = this.#context;
    const stopped = this.#stopped;
    this.#stopped = undefined;
    if (outcome.kind === 'message' && (typeof outcome.message !== 'object' || outcome.message === null))
      this.#refused(NO_MESSAGE);
    else if (outcome.kind === 'message') {
      if (outcome.replaced) receiver.note({ kind: 'replaced-bytes', text: 'bytes that are no UTF-8 were replaced' });
      if (receiver.message(outcome.message, this.#origin)) return true;
    } else this.#refused(this.#judge(outcome.refusal, stopped));
    // Nobody asked for it: others get their turn first when there is much of that.
    unsolicitedLimit.spend(bytes);
    if (!unsolicitedLimit.isSpent) return true;
    void this.#waitFor(unsolicitedLimit.renew());
    return false;
  }

  /** What is wrong with a message that was not read to its end is why it was not, unless its place was made for that. */
  #judge(refusal: RejectedMessage, stopped: RejectedMessage | undefined): RejectedMessage {
    if (stopped === undefined || (stopped === TOO_LARGE && (this.#hasPlace || this.#isShared))) return refusal;
    return this.#isShared ? { ...refusal, code: stopped.code, reason: stopped.reason } : stopped;
  }

  #refused(refusal: RejectedMessage): void {
    const start = this.#start?.toString('utf8', 0, START_SHOWN) ?? '';
    if (this.#owner.passesOver?.(refusal, start) === true) return;
    // Where an answer has a channel of its own, nothing elsewhere is taken for one by its looks.
    const isAnswer = refusal.isAnswer && (this.#isShared || this.#origin !== undefined);
    this.#context.receiver.refused({ ...refusal, isAnswer }, this.#origin);
  }

  async #waitFor(wait: Promise<void>): Promise<void> {
    await wait;
    this.#owner.proceed();
  }
}

const NO_MESSAGE: RejectedMessage = { code: 'bad-answer', reason: 'it is no object', ids: [], isAnswer: false };
const START_SHOWN = 1_000;
const SMALL_CHUNK = 1_024;
const SMALL_CHUNKS = 16_384;

const TOO_LARGE: RejectedMessage = {
  code: 'answer-too-large',
  reason: `it has more than ${MEMORY_LIMIT / 1_000_000} MB`,
  ids: [],
  isAnswer: true,
};
