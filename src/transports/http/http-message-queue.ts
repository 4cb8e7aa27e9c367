import type { RequestId } from '../../wire/message.js';
import { type ReadOutcome, MEMORY_LIMIT, MessageReader, parseMessage, SPILL_LIMIT } from '../../wire/message-reader.js';
import type { RejectedMessage } from '../../wire/pipe.js';
import type { LargeResponseStore } from '../../model/spilled.js';
import type { HttpContext } from './http-context.js';

/** The reader that waits while the queue is full. */
export interface HttpMessageQueueOwner {
  /** The queue accepts bytes again. Called once each time that `push`, `finish` or `refuse` returned false. */
  proceed(): void;
  /** Whether to skip an invalid message and wait for others. `start`: the beginning of its text. */
  passesOver?(refusal: RejectedMessage, start: string): boolean;
}

/** Which requests a channel carries responses for. */
export interface HttpMessageChannel {
  /** The request that the channel belongs to. */
  readonly origin?: RequestId | undefined;
  /** The channel carries the responses to all requests, so one invalid message must not cost the others. */
  readonly isShared?: boolean | undefined;
}

/** Turns the bytes of messages into messages for the receiver, in order and with backpressure. */
export class HttpMessageQueue {
  readonly #context: HttpContext;
  readonly #origin: RequestId | undefined;
  readonly #isShared: boolean;
  readonly #owner: HttpMessageQueueOwner;
  #first: Buffer | undefined;
  /** The beginning of the message. */
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

  /** Whether the message is refused whatever follows. On a shared channel it is still read to its end. */
  get isRefused(): boolean {
    const reader = this.#reader;
    return reader !== undefined && (this.#isShared ? reader.bytes > SPILL_LIMIT : reader.isRefused);
  }

  /** Returns false to pause until `proceed`. */
  push(bytes: Buffer): boolean {
    if (this.isEmpty) {
      // Most messages arrive in one chunk and need no reader.
      this.#first = this.#start = bytes;
      return true;
    }
    const wait = this.#add(this.#ensureReader(), bytes);
    if (wait === undefined) return true;
    void this.#waitFor(wait);
    return false;
  }

  /** Ends the message. Returns false if it will be delivered only before the next `proceed`. */
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

  /** Refuses the message before its end, by default for its size. Returns what `finish` returns. */
  refuse(reason?: string): boolean {
    this.#stopped = reason === undefined ? TOO_LARGE : { ...TOO_LARGE, reason };
    return this.finish();
  }

  /** Drops the message that has begun: its end will not come. */
  discard(): void {
    void this.#reader?.discard();
    this.#first = this.#reader = undefined;
    this.#smallChunkBytes = 0;
  }

  /** Drops everything; nothing is delivered any more. */
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

  /** Collects small chunks: a server may send 16 million chunks of one byte, which kept singly fill a gigabyte. */
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

  #spillFor(id: RequestId | undefined): LargeResponseStore | undefined {
    // A request's own channel may spill only the response to that request.
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
      if (outcome.replaced)
        receiver.warning({ kind: 'replaced-bytes', text: 'bytes that are not UTF-8 were replaced' });
      if (receiver.message(outcome.message, this.#origin)) return true;
    } else this.#refused(this.#judge(outcome.refusal, stopped));
    // Unsolicited: beyond the limit, other work gets its turn first.
    unsolicitedLimit.spend(bytes);
    if (!unsolicitedLimit.isSpent) return true;
    void this.#waitFor(unsolicitedLimit.renew());
    return false;
  }

  /** A message that was cut short is refused for that reason, unless it could be spilled or shares its channel. */
  #judge(refusal: RejectedMessage, stopped: RejectedMessage | undefined): RejectedMessage {
    if (stopped === undefined || (stopped === TOO_LARGE && (this.#hasPlace || this.#isShared))) return refusal;
    return this.#isShared ? { ...refusal, code: stopped.code, reason: stopped.reason } : stopped;
  }

  #refused(refusal: RejectedMessage): void {
    const start = this.#start?.toString('utf8', 0, START_SHOWN) ?? '';
    if (this.#owner.passesOver?.(refusal, start) === true) return;
    // On a channel that carries no responses, no message is taken for one by its form.
    const isAnswer = refusal.isAnswer && (this.#isShared || this.#origin !== undefined);
    this.#context.receiver.refused({ ...refusal, isAnswer }, this.#origin);
  }

  async #waitFor(wait: Promise<void>): Promise<void> {
    await wait;
    this.#owner.proceed();
  }
}

const NO_MESSAGE: RejectedMessage = { code: 'bad-answer', reason: 'it is not an object', ids: [], isAnswer: false };
const START_SHOWN = 1_000;
const SMALL_CHUNK = 1_024;
const SMALL_CHUNKS = 16_384;

const TOO_LARGE: RejectedMessage = {
  code: 'answer-too-large',
  reason: `it has more than ${MEMORY_LIMIT / 1_000_000} MB`,
  ids: [],
  isAnswer: true,
};
