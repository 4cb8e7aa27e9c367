import type { RequestId } from '../wire/message.js';
import { type Intake, MessageReader, parseMessage } from '../wire/message-reader.js';
import type { HttpRoad } from './http-road.js';

/** Who waits while an intake is busy. */
export interface IntakeOwner {
  /** The intake can take more. Called once for every time it said no. */
  proceed(): void;
}

/** Bytes of one message after the other, handed on to the receiver as messages, in order and no faster than it may be. */
export class HttpIntake {
  readonly #road: HttpRoad;
  /** The request whose own channel the bytes come on. */
  readonly #origin: RequestId | undefined;
  readonly #owner: IntakeOwner;
  #first: Buffer | undefined;
  #reader: MessageReader | undefined;
  #isClosed = false;

  constructor(road: HttpRoad, origin: RequestId | undefined, owner: IntakeOwner) {
    this.#road = road;
    this.#origin = origin;
    this.#owner = owner;
  }

  get isEmpty(): boolean {
    return this.#first === undefined && this.#reader === undefined;
  }

  /** Nothing that follows can make the message acceptable. */
  get isRefused(): boolean {
    return this.#reader?.isRefused === true;
  }

  /** False: nothing more until `proceed`. */
  push(bytes: Buffer): boolean {
    if (this.isEmpty) {
      // Most messages come in one piece and need no reader.
      this.#first = bytes;
      return true;
    }
    const wait = this.#ensureReader().push(bytes);
    if (wait === undefined) return true;
    const proceed = (): void => this.#owner.proceed();
    wait.then(proceed, proceed);
    return false;
  }

  /** The message is complete. False: it will have been handed on at the next `proceed`. */
  finish(): boolean {
    const first = this.#first;
    const reader = this.#reader;
    this.#first = this.#reader = undefined;
    if (first === undefined && reader === undefined) return true;
    const intake = reader ? reader.end() : parseMessage(first!, this.#road.clock);
    if (!(intake instanceof Promise)) return this.#deliver(intake);
    void this.#deliverLate(intake);
    return false;
  }

  /** There will be no end of this message. */
  discard(): void {
    void this.#reader?.discard();
    this.#first = this.#reader = undefined;
  }

  /** Nobody is there any more to hand anything on to. */
  close(): void {
    this.#isClosed = true;
    this.discard();
  }

  #ensureReader(): MessageReader {
    if (this.#reader) return this.#reader;
    const { clock, receiver } = this.#road;
    const origin = this.#origin;
    const reader = new MessageReader({
      clock,
      // On a request's own channel nothing large is taken but its answer.
      spillFor: (id) =>
        id === undefined || origin === undefined || id === origin ? receiver.spillFor(origin ?? id) : undefined,
    });
    void reader.push(this.#first!);
    this.#first = undefined;
    this.#reader = reader;
    return reader;
  }

  async #deliverLate(intake: Promise<Intake>): Promise<void> {
    const late = await intake;
    if (!this.#isClosed && this.#deliver(late)) this.#owner.proceed();
  }

  #deliver(intake: Intake): boolean {
    const { receiver, ration } = this.#road;
    if (intake.kind === 'message') {
      if (intake.replaced) receiver.note({ kind: 'replaced-bytes', text: 'bytes that are no UTF-8 were replaced' });
      if (receiver.message(intake.message, this.#origin)) return true;
    } else receiver.refused(intake.refusal, this.#origin);
    if (!ration.spend()) return true;
    ration.wait(() => this.#owner.proceed());
    return false;
  }
}
