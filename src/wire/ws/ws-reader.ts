import { isUtf8 } from 'node:buffer';
import { gateLine } from '../../model/text/text-gate.js';
import { OPEN_BRACE, OPEN_BRACKET } from '../json/json-bytes.js';
import { isNotJsonRpc, type LineReaderOptions } from '../line-reader.js';
import { type ReadOutcome, MessageReader, parseLine, SPILL_LIMIT } from '../message-reader.js';
import { UnsolicitedLimit } from '../unsolicited-limit.js';
import { type CloseFrame, type FrameFault, FrameReader, type FrameSink, PROTOCOL_ERROR } from './ws-frames.js';
import { WsMessage } from './ws-message.js';

export interface WsReaderOptions extends Omit<LineReaderOptions, 'giveUp'> {
  /** A ping that has to be answered with this payload. */
  readonly ping: (payload: Buffer) => void;
  readonly closing: (closeFrame: CloseFrame) => void;
  /** The server cannot be used: it breaks the protocol for good. */
  readonly giveUp: (fault: FrameFault) => void;
}

/** Delivers each WebSocket message as a JSON-RPC message, in order, with a bounded amount of work per turn. */
export class WsReader implements FrameSink {
  readonly #options: WsReaderOptions;
  readonly #unsolicitedLimit: UnsolicitedLimit;
  readonly #frames: FrameReader;
  #message: WsMessage | undefined;
  #busy: Promise<void> | undefined;
  #junk = 0;
  #noted = 0;
  #smallChunks = 0;
  #isBinaryNoted = false;
  #isOver = false;

  constructor(options: WsReaderOptions) {
    this.#options = options;
    this.#unsolicitedLimit = new UnsolicitedLimit(options.clock);
    this.#frames = new FrameReader(this, { messageLimit: SPILL_LIMIT });
  }

  /** Whether reading is paused, until what was read has been processed. */
  get isBusy(): boolean {
    return this.#busy !== undefined;
  }

  push(bytes: Buffer): void {
    if (!this.#isOver) this.#frames.push(bytes);
  }

  /** Resolves when all bytes so far have been processed. */
  async idle(): Promise<void> {
    while (this.#busy) await this.#busy;
  }

  /** Ends the input. An incomplete message is dropped. */
  close(): void {
    this.#isOver = true;
    this.#frames.close();
    void this.#message?.discard();
    this.#message = undefined;
  }

  whole(bytes: Buffer, from: number, to: number): void {
    const text = bytes.toString('utf8', from, to);
    // Invalid UTF-8 is decoded to this character, which valid text may contain too.
    const replaced = text.includes('\uFFFD') && !isUtf8(bytes.subarray(from, to));
    this.#wholeText(text, replaced, to - from);
  }

  piece(bytes: Buffer, from: number, to: number): void {
    const size = to - from;
    if (size < SMALL_CHUNK && ++this.#smallChunks % SMALL_CHUNKS_TO_A_MESSAGE === 0) this.#unsolicitedLimit.spend(0);
    this.#message ??= this.#begin();
    const wait = this.#message.push(bytes, from, to);
    if (size === 0 || this.#message.isNonMessage) this.#countJunk(Math.max(size, SMALLEST_FRAME));
    if (this.#isOver) return;
    if (wait) this.#hold(wait);
    else this.#rest();
  }

  end(): void {
    const message = this.#message;
    this.#message = undefined;
    if (!message) return;
    if (message.isNonMessage) {
      this.#nonMessages(message.start, 0); // its bytes have been counted already
      this.#rest();
    } else this.#take(message.end(), message.start, message.bytes);
  }

  binary(): void {
    if (this.#isBinaryNoted) return;
    this.#isBinaryNoted = true;
    this.#options.receiver.warning({
      kind: 'oddity',
      text: 'messages are marked as binary, and read as text all the same',
    });
  }

  ping(payload: Buffer): void {
    this.#options.ping(payload);
    this.#unsolicitedLimit.spend(payload.length);
    this.#rest();
  }

  pong(payload: Buffer): void {
    this.#unsolicitedLimit.spend(payload.length);
    this.#rest();
  }

  closing(closeFrame: CloseFrame): void {
    this.close();
    this.#options.closing(closeFrame);
  }

  fault(fault: FrameFault): void {
    this.close();
    this.#options.giveUp(fault);
  }

  #begin(): WsMessage {
    const { clock, receiver } = this.#options;
    return new WsMessage(new MessageReader({ clock, spillFor: (id) => receiver.spillFor(id) }));
  }

  #wholeText(text: string, replaced: boolean, bytes: number): void {
    const code = text.charCodeAt(0);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      this.#take(parseLine(text, replaced, this.#options.clock), text, bytes);
      return;
    }
    const trimmed = text.trim(); // also removes a BOM
    if (trimmed.startsWith('{') || trimmed.startsWith('[')) return this.#wholeText(trimmed, replaced, bytes);
    this.#nonMessages(trimmed, bytes);
    this.#rest();
  }

  #take(outcome: ReadOutcome | Promise<ReadOutcome>, start: string, bytes: number): void {
    if (outcome instanceof Promise) return this.#hold(this.#takeLater(outcome, start, bytes));
    this.#deliver(outcome, start, bytes);
    return this.#rest();
  }

  async #takeLater(outcome: Promise<ReadOutcome>, start: string, bytes: number): Promise<void> {
    const settled = await outcome;
    if (this.#isOver) return;
    this.#deliver(settled, start, bytes);
    if (this.#unsolicitedLimit.isSpent) await this.#unsolicitedLimit.renew();
  }

  /** `start`: the start of the message. `bytes`: its full length. */
  #deliver(outcome: ReadOutcome, start: string, bytes: number): void {
    const { receiver } = this.#options;
    if (outcome.kind === 'refused') {
      this.#unsolicitedLimit.spend(bytes);
      const { refusal } = outcome;
      // A message that is too large is still a message, and a single one must not use up the junk limit.
      if (!refusal.isAnswer) this.#nonMessages(start, refusal.code === 'bad-answer' ? bytes : 0);
      receiver.refused(refusal);
      return;
    }
    if (outcome.replaced) receiver.warning({ kind: 'replaced-bytes', text: 'bytes that are no UTF-8 were replaced' });
    if (receiver.message(outcome.message)) this.#junk = 0;
    else {
      this.#unsolicitedLimit.spend(bytes);
      if (isNotJsonRpc(outcome.message)) this.#nonMessages(start, bytes);
    }
  }

  /** Input that is no message: skipped, counted, shown. Only `JUNK_LIMIT` bytes without a response end the server. */
  #nonMessages(text: string, bytes: number): void {
    this.#unsolicitedLimit.spend(bytes);
    this.#countJunk(bytes + SMALLEST_FRAME);
    if (text !== '' && this.#noted++ < NON_MESSAGE_SHOWN)
      this.#options.receiver.warning({ kind: 'noise', text: gateLine(text, { limit: NON_MESSAGE_LENGTH }).text });
  }

  #countJunk(bytes: number): void {
    this.#junk += bytes;
    if (this.#junk <= JUNK_LIMIT || this.#isOver) return;
    const reason = `it sent more than ${JUNK_LIMIT / 1_000_000} MB that are no messages of MCP`;
    this.fault({ code: PROTOCOL_ERROR, reason });
  }

  /** Pauses when unsolicited messages have used up their limit. */
  #rest(): void {
    if (this.#unsolicitedLimit.isSpent && !this.#isOver) this.#hold(this.#unsolicitedLimit.renew());
  }

  /** Pauses the input until `wait` resolves. */
  #hold(wait: Promise<void>): void {
    this.#frames.pause();
    this.#options.pause();
    this.#busy = this.#goOn(wait);
  }

  async #goOn(wait: Promise<void>): Promise<void> {
    await wait;
    this.#busy = undefined;
    if (this.#isOver) return;
    this.#frames.resume();
    if (!this.isBusy) this.#options.resume();
  }
}

const SMALL_CHUNK = 1_024;
const SMALL_CHUNKS_TO_A_MESSAGE = 100; // each costs as much as a few hundred bytes
const SMALLEST_FRAME = 2;
const NON_MESSAGE_SHOWN = 200;
const NON_MESSAGE_LENGTH = 200;
const JUNK_LIMIT = 16_000_000;
