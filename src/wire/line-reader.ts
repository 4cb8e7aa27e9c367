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
  /** Stops the bytes, and lets them come again. What still arrives meanwhile is kept. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** This server will never be of use. */
  readonly giveUp: (reason: string) => void;
}

/** Bytes in, messages to the receiver: one on each line, in order, and never more work in one turn than is fair. */
export class LineReader {
  readonly #options: LineReaderOptions;
  readonly #unsolicitedLimit: UnsolicitedLimit;
  #waiting: Buffer[] = [];
  #isBusy = false;
  #busy: Promise<void> | undefined;
  #line: PartialLine | undefined;
  #junk = 0;
  #noted = 0;
  /** A line that is just a brace was seen: this server may spread its messages over several. */
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

  /** Resolves when all that came has been taken in. */
  async idle(): Promise<void> {
    while (this.#busy) await this.#busy;
  }

  /** Nothing follows. Half a line is no message. */
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
      if (replaced) this.#options.receiver.note({ kind: 'replaced-bytes', text: 'stdout has bytes that are no UTF-8' });
      return this.#lines({ text, at: 0, replaced, tail: bytes.subarray(last + 1) });
    }
    return this.#begin(bytes.subarray(from));
  }

  /** Whole lines, as one text: decoding them together is cheaper than one by one. */
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

  /** When a server has said more by itself than is fair. */
  #pause(): Promise<void> | undefined {
    return this.#unsolicitedLimit.isSpent ? this.#unsolicitedLimit.renew() : undefined;
  }

  /** One whole line that came in one piece with its neighbours. */
  #whole(line: string, replaced: boolean): Promise<void> | undefined {
    const code = line.charCodeAt(0);
    if (code !== OPEN_BRACE && code !== OPEN_BRACKET) return this.#odd(line, replaced);
    const outcome = parseLine(line, replaced, this.#options.clock);
    if (outcome instanceof Promise) return this.#later(outcome, line, line.length);
    this.#deliver(outcome, line, line.length);
    return undefined;
  }

  /** A line that does not begin like a message: one with a blank or a BOM before it, or noise. */
  #odd(line: string, replaced: boolean): Promise<void> | undefined {
    const trimmed = line.trim(); // takes a BOM away, too
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

  /** `line` is how it begins, `bytes` how long it was. */
  #deliver(outcome: ReadOutcome, line: string, bytes: number): void {
    const { receiver } = this.#options;
    if (outcome.kind === 'refused') {
      this.#unsolicitedLimit.spend(bytes);
      if (isFollowedByFrame(line)) return this.#giveUp(FRAMED);
      if (line.trim() === '{') this.#isPretty = true;
      // One that is merely too large is a message all the same.
      if (!outcome.refusal.isAnswer) this.#nonMessages(line, outcome.refusal.code === 'bad-answer' ? bytes : 0);
      receiver.refused(outcome.refusal);
    } else if (receiver.message(outcome.message)) this.#junk = 0;
    else {
      this.#unsolicitedLimit.spend(bytes);
      if (isNotJsonRpc(outcome.message)) this.#nonMessages(line, bytes);
    }
  }

  /** Something on stdout that is no message: skipped, counted, shown. Only a flood of it without an answer ends a server. */
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
      receiver.note({ kind: 'noise', text: gateLine(line, { limit: NON_MESSAGE_LENGTH }).text });
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

  /** Waits, with the bytes stopped, and then goes on where it was. */
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

/** Lines that are still to be looked at. */
interface Work {
  readonly text: string;
  at: number;
  readonly replaced: boolean;
  readonly tail: Buffer;
}

/** A line of which not everything is there. */
class PartialLine {
  bytes = 0;
  /** How it begins, for showing it. */
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
    // Three bytes, because a byte order mark has so many.
    if (!this.#isJudged && this.bytes >= 3 && this.start.trim() !== '') {
      this.#isJudged = true;
      this.isNonMessage = !/^[{[]/u.test(this.start.trim());
    }
    if (!this.isNonMessage) return this.reader.push(bytes);
    countJunk(bytes.length);
    return undefined;
  }
}

/** JSON that is no JSON-RPC: the log of a server that logs to stdout. */
export function isNotJsonRpc(message: unknown): boolean {
  return typeof message !== 'object' || message === null || (!Array.isArray(message) && !('jsonrpc' in message));
}

const LINE_FEED = 0x0a;
const PIECE = 262_144; // a pipe gives 64 KB at a time; whoever gives more gets it cut
const NON_MESSAGE_SHOWN = 200;
const NON_MESSAGE_LENGTH = 200;
const JUNK_LIMIT = 16_000_000;
const EMPTY = Buffer.alloc(0);
