// The framing of stdio: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
import type { Clock } from '../model/clock.js';
import { gateLine } from '../model/text/text-gate.js';
import { decode } from './json/decode.js';
import { FRAMED, isFollowedByFrame } from './framing.js';
import { type ReadOutcome, MessageReader, parseLine, SPILL_LIMIT } from './message-reader.js';
import type { Receiver } from './pipe.js';
import { UnsolicitedLimit } from './unsolicited-limit.js';
import { OPEN_BRACE, OPEN_BRACKET } from './json/json-bytes.js';

export interface LineReaderOptions {
  readonly clock: Clock;
  readonly receiver: Receiver;
  /** Pauses and resumes the input. Bytes that still arrive while paused are buffered. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** The server cannot be used: it breaks the protocol for good. */
  readonly giveUp: (reason: string) => void;
}

/** Splits bytes into lines and delivers each as a message, in order, with a bounded amount of work per turn. */
export class LineReader {
  readonly #options: LineReaderOptions;
  readonly #unsolicitedLimit: UnsolicitedLimit;
  #waiting: Buffer[] = [];
  #isBusy = false;
  #busy: Promise<void> | undefined;
  #line: PartialLine | undefined;
  #junk = 0;
  #noted = 0;
  /** A line with only a brace was seen: the server may spread a message over several lines. */
  #isPretty = false;
  #isOver = false;

  constructor(options: LineReaderOptions) {
    this.#options = options;
    this.#unsolicitedLimit = new UnsolicitedLimit(options.clock);
  }

  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && !this.#isOver; at += PIECE) {
      const piece = bytes.length <= PIECE ? bytes : bytes.subarray(at, at + PIECE);
      if (this.#isBusy) this.#waiting.push(piece);
      else this.#take(piece);
    }
  }

  /** Resolves when all bytes so far have been processed. */
  async idle(): Promise<void> {
    while (this.#busy) await this.#busy;
  }

  /** Ends the input. An incomplete line is dropped. */
  end(): void {
    this.#isOver = true;
    void this.#line?.reader.discard();
    this.#line = undefined;
    this.#waiting = [];
  }

  #take(bytes: Buffer): void {
    const first = this.#line ? bytes.indexOf(LINE_FEED) : -1;
    if (this.#line && first === -1) return this.#extend(this.#line, bytes);
    let from = 0;
    if (this.#line) {
      from = first + 1;
      const line = this.#line;
      const wait = line.push(bytes.subarray(0, first), this.#junkCounter);
      if (wait)
        return this.#holdFor(
          wait.then(() => this.#endLine(line) ?? this.#pause()),
          bytes.subarray(from),
        );
      const ended = this.#endLine(line) ?? this.#pause();
      if (ended) return this.#holdFor(ended, bytes.subarray(from));
    }
    const last = bytes.lastIndexOf(LINE_FEED);
    if (last >= from) {
      const { text, replaced } = decode(
        from === 0 && last === bytes.length - 1 ? bytes : bytes.subarray(from, last + 1),
      );
      if (replaced)
        this.#options.receiver.warning({ kind: 'replaced-bytes', text: 'stdout has bytes that are no UTF-8' });
      return this.#lines({ text, at: 0, replaced, tail: bytes.subarray(last + 1) });
    }
    return this.#begin(bytes.subarray(from));
  }

  /** Complete lines as one text: decoding them together is faster than one by one. */
  #lines(work: Work): void {
    const { text } = work;
    while (work.at < text.length && !this.#isOver) {
      const end = text.indexOf('\n', work.at);
      const line = text.slice(work.at, end);
      work.at = end + 1;
      const wait = this.#whole(line, work.replaced) ?? this.#pause();
      if (wait) return this.#holdFor(wait, work);
    }
    return this.#begin(work.tail);
  }

  /** A wait when unsolicited messages have used up their limit; undefined otherwise. */
  #pause(): Promise<void> | undefined {
    return this.#unsolicitedLimit.isSpent ? this.#unsolicitedLimit.renew() : undefined;
  }

  /** A complete line from a decoded block of lines. */
  #whole(line: string, replaced: boolean): Promise<void> | undefined {
    const code = line.charCodeAt(0);
    if (code !== OPEN_BRACE && code !== OPEN_BRACKET) return this.#odd(line, replaced);
    const outcome = parseLine(line, replaced, this.#options.clock);
    if (outcome instanceof Promise) return this.#later(outcome, line, line.length);
    this.#deliver(outcome, line, line.length);
    return undefined;
  }

  /** A line that does not start like a message: a message after blanks or a BOM, or noise. */
  #odd(line: string, replaced: boolean): Promise<void> | undefined {
    const trimmed = line.trim(); // also removes a BOM
    if (trimmed === '') return undefined;
    if (trimmed.startsWith('{') || trimmed.startsWith('[')) return this.#whole(trimmed, replaced);
    this.#nonMessages(trimmed);
    return undefined;
  }

  #begin(bytes: Buffer): void {
    if (bytes.length === 0 || this.#isOver) return;
    const { clock, receiver } = this.#options;
    const line = new PartialLine(new MessageReader({ clock, spillFor: (id) => receiver.spillFor(id) }));
    this.#line = line;
    this.#extend(line, bytes);
  }

  #extend(line: PartialLine, bytes: Buffer): void {
    const wait = line.push(bytes, this.#junkCounter);
    if (line.bytes > SPILL_LIMIT) this.#giveUp('it sends a line that does not end');
    else if (wait) this.#holdFor(wait, EMPTY);
  }

  #endLine(line: PartialLine): Promise<void> | undefined {
    this.#line = undefined;
    if (line.isNonMessage) {
      this.#nonMessages(line.start);
      return undefined;
    }
    const outcome = line.reader.end();
    if (outcome instanceof Promise) return this.#later(outcome, line.start, line.bytes);
    this.#deliver(outcome, line.start, line.bytes);
    return undefined;
  }

  async #later(outcome: Promise<ReadOutcome>, line: string, bytes: number): Promise<void> {
    const settled = await outcome;
    if (!this.#isOver) this.#deliver(settled, line, bytes);
    await this.#pause();
  }

  /** `line`: the start of the line. `bytes`: its full length. */
  #deliver(outcome: ReadOutcome, line: string, bytes: number): void {
    const { receiver } = this.#options;
    if (outcome.kind === 'refused') {
      this.#unsolicitedLimit.spend(bytes);
      if (isFollowedByFrame(line)) return this.#giveUp(FRAMED);
      if (line.trim() === '{') this.#isPretty = true;
      // A message that is only too large is still a message.
      if (!outcome.refusal.isAnswer) this.#nonMessages(line, outcome.refusal.code === 'bad-answer' ? bytes : 0);
      receiver.refused(outcome.refusal);
    } else if (receiver.message(outcome.message)) this.#junk = 0;
    else {
      this.#unsolicitedLimit.spend(bytes);
      if (isNotJsonRpc(outcome.message)) this.#nonMessages(line, bytes);
    }
  }

  /** Output that is no message: skipped, counted, shown. Only `JUNK_LIMIT` bytes without a response end the server. */
  #nonMessages(line: string, bytes = line.length): void {
    this.#unsolicitedLimit.spend(line.length);
    this.#junkCounter(bytes);
    const { receiver } = this.#options;
    const id = this.#isPretty ? /^\s*"id"\s*:\s*(\d{1,10}),?$/u.exec(line.slice(0, 100))?.[1] : undefined;
    if (id !== undefined) {
      const reason = 'it is spread over several lines, and on stdio every message is one line';
      receiver.refused({ code: 'bad-answer', reason, ids: [Number(id)], isAnswer: false });
    }
    if (this.#noted++ < NON_MESSAGE_SHOWN)
      receiver.warning({ kind: 'noise', text: gateLine(line, { limit: NON_MESSAGE_LENGTH }).text });
  }

  readonly #junkCounter = (bytes: number): void => {
    this.#junk += bytes;
    if (this.#junk > JUNK_LIMIT)
      this.#giveUp(`it sent more than ${JUNK_LIMIT / 1_000_000} MB on stdout that are no messages`);
  };

  #giveUp(reason: string): void {
    if (this.#isOver) return;
    this.end();
    this.#options.giveUp(reason);
  }

  /** Pauses the input until `wait` resolves, then goes on with `rest`. */
  #holdFor(wait: Promise<void>, rest: Work | Buffer): void {
    this.#isBusy = true;
    this.#options.pause();
    this.#busy = this.#goOn(wait, rest);
  }

  async #goOn(wait: Promise<void>, rest: Work | Buffer): Promise<void> {
    await wait;
    this.#isBusy = false;
    if (this.#isOver) {
      this.#busy = undefined;
      return;
    }
    if ('text' in rest) this.#lines(rest);
    else if (rest.length > 0) this.#take(rest);
    while (!this.#isBusy && this.#waiting.length > 0) this.#take(this.#waiting.shift()!);
    if (this.#isBusy) return;
    this.#busy = undefined;
    this.#options.resume();
  }
}

/** Lines that are not processed yet. */
interface Work {
  readonly text: string;
  at: number;
  readonly replaced: boolean;
  readonly tail: Buffer;
}

/** An incomplete line. */
class PartialLine {
  bytes = 0;
  /** The start of the line, for display. */
  start = '';
  isNonMessage = false;
  readonly reader: MessageReader;
  #isJudged = false;
  #head: Buffer = EMPTY;

  constructor(reader: MessageReader) {
    this.reader = reader;
  }

  push(bytes: Buffer, countJunk: (bytes: number) => void): Promise<void> | undefined {
    this.bytes += bytes.length;
    if (this.#head.length < NON_MESSAGE_LENGTH) {
      this.#head = Buffer.concat([this.#head, bytes.subarray(0, NON_MESSAGE_LENGTH)]);
      this.start = decode(this.#head).text;
    }
    // Three bytes: the length of a byte order mark.
    if (!this.#isJudged && this.bytes >= 3 && this.start.trim() !== '') {
      this.#isJudged = true;
      this.isNonMessage = !/^[{[]/u.test(this.start.trim());
    }
    if (!this.isNonMessage) return this.reader.push(bytes);
    countJunk(bytes.length);
    return undefined;
  }
}

/** Whether this JSON is not JSON-RPC, such as a log line on stdout. */
export function isNotJsonRpc(message: unknown): boolean {
  return typeof message !== 'object' || message === null || (!Array.isArray(message) && !('jsonrpc' in message));
}

const LINE_FEED = 0x0a;
const PIECE = 262_144; // a pipe delivers 64 KB at a time; larger chunks are split
const NON_MESSAGE_SHOWN = 200;
const NON_MESSAGE_LENGTH = 200;
const JUNK_LIMIT = 16_000_000;
const EMPTY = Buffer.alloc(0);
