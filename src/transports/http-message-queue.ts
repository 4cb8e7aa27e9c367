import type { RequestId } from '../wire/message.js';
import { type ReadOutcome, MEMORY_LIMIT, MessageReader, parseMessage, SPILL_LIMIT } from '../wire/message-reader.js';
import type { RejectedMessage } from '../wire/pipe.js';
import type { SpillStore } from '../model/spilled.js';
import type { HttpContext } from './http-context.js';

/** Who waits while an intake is busy. */
export interface IntakeOwner {
  /** The intake can take more. Called once for every time it said no. */
  proceed(): void;
  /** Whether a message that cannot be taken is passed over, and others are waited for. `start`: how it begins. */
  passesOver?(refusal: RejectedMessage, start: string): boolean;
}

/** Whose messages come on a channel. */
export interface IntakeChannel {
  /** The request whose own channel it is. */
  readonly origin?: RequestId | undefined;
  /** The answers to all requests come on it, so that one message that cannot be taken must not cost the others. */
  readonly isShared?: boolean | undefined;
}

/** Bytes of one message after the other, handed on to the receiver as messages, in order and no faster than it may be. */
export class HttpMessageQueue {
  readonly #road: HttpContext;
  readonly #origin: RequestId | undefined;
  readonly #isShared: boolean;
  readonly #owner: IntakeOwner;
  #first: Buffer | undefined;
  /** How the message begins. */
  #start: Buffer | undefined;
  #reader: MessageReader | undefined;
  #crumbs: Buffer | undefined;
  #crumbBytes = 0;
  #hasPlace = false;
  #stopped: RejectedMessage | undefined;
  #isClosed = false;

  constructor(road: HttpContext, { origin, isShared = false }: IntakeChannel, owner: IntakeOwner) {
    this.#road = road;
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
    const intake = reader ? this.#end(reader) : parseMessage(first!, this.#road.clock);
    const bytes = reader?.bytes ?? first!.length;
    this.#first = this.#reader = undefined;
    if (!(intake instanceof Promise)) return this.#deliver(intake, bytes);
    void this.#deliverLate(intake, bytes);
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
    this.#crumbBytes = 0;
  }

  /** Nobody is there any more to hand anything on to. */
  close(): void {
    this.#isClosed = true;
    this.discard();
  }

  #ensureReader(): MessageReader {
    if (this.#reader) return this.#reader;
    const reader = new MessageReader({ clock: this.#road.clock, spillFor: (id) => this.#spillFor(id) });
    void reader.push(this.#first!);
    this.#first = undefined;
    this.#reader = reader;
    return reader;
  }

  /** A server may send sixteen million pieces of a byte each; kept one by one they would fill a gigabyte. */
  #add(reader: MessageReader, bytes: Buffer): Promise<void> | undefined {
    if (bytes.length < CRUMB && this.#crumbBytes + bytes.length <= CRUMBS) {
      this.#crumbs ??= Buffer.allocUnsafe(CRUMBS);
      if (bytes.length === 1) this.#crumbs[this.#crumbBytes++] = bytes[0]!;
      else this.#crumbBytes += bytes.copy(this.#crumbs, this.#crumbBytes);
      return undefined;
    }
    return reader.push(this.#crumbBytes === 0 ? bytes : Buffer.concat([this.#takeCrumbs(), bytes]));
  }

  #end(reader: MessageReader): ReadOutcome | Promise<ReadOutcome> {
    const wait = this.#crumbBytes === 0 ? undefined : reader.push(Buffer.from(this.#takeCrumbs()));
    return wait === undefined ? reader.end() : wait.then(() => reader.end());
  }

  #takeCrumbs(): Buffer {
    const crumbs = this.#crumbs!.subarray(0, this.#crumbBytes);
    this.#crumbBytes = 0;
    return crumbs;
  }

  #spillFor(id: RequestId | undefined): SpillStore | undefined {
    // On a request's own channel nothing large is taken but its answer.
    if (id !== undefined && this.#origin !== undefined && Number(id) !== Number(this.#origin)) return undefined;
    const store = this.#road.receiver.spillFor(this.#origin ?? id);
    this.#hasPlace = store !== undefined;
    return store;
  }

  async #deliverLate(intake: Promise<ReadOutcome>, bytes: number): Promise<void> {
    const late = await intake;
    if (!this.#isClosed && this.#deliver(late, bytes)) this.#owner.proceed();
  }

  #deliver(intake: ReadOutcome, bytes: number): boolean {
    const { receiver, ration } = this.#road;
    const stopped = this.#stopped;
    this.#stopped = undefined;
    if (intake.kind === 'message' && (typeof intake.message !== 'object' || intake.message === null))
      this.#refused(NO_MESSAGE);
    else if (intake.kind === 'message') {
      if (intake.replaced) receiver.note({ kind: 'replaced-bytes', text: 'bytes that are no UTF-8 were replaced' });
      if (receiver.message(intake.message, this.#origin)) return true;
    } else this.#refused(this.#judge(intake.refusal, stopped));
    // Nobody asked for it: others get their turn first when there is much of that.
    ration.spend(bytes);
    if (!ration.isSpent) return true;
    void this.#waitFor(ration.renew());
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
    this.#road.receiver.refused({ ...refusal, isAnswer }, this.#origin);
  }

  async #waitFor(wait: Promise<void>): Promise<void> {
    await wait;
    this.#owner.proceed();
  }
}

const NO_MESSAGE: RejectedMessage = { code: 'bad-answer', reason: 'it is no object', ids: [], isAnswer: false };
const START_SHOWN = 1_000;
const CRUMB = 1_024;
const CRUMBS = 16_384;

const TOO_LARGE: RejectedMessage = {
  code: 'answer-too-large',
  reason: `it has more than ${MEMORY_LIMIT / 1_000_000} MB`,
  ids: [],
  isAnswer: true,
};
