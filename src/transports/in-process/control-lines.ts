import type { Clock } from '../../model/clock.js';
import { decode } from '../../wire/json/decode.js';
import { OPEN_BRACE } from '../../wire/json/json-bytes.js';
import type { LineReaderOptions } from '../../wire/line-reader.js';
import { type ReadOutcome, MEMORY_LIMIT, MessageReader, SPILL_LIMIT } from '../../wire/message-reader.js';
import type { RejectedMessage } from '../../wire/pipe.js';
import { UnsolicitedLimit } from '../../wire/unsolicited-limit.js';

export interface ControlLinesOptions extends Omit<LineReaderOptions, 'receiver'> {
  /** Takes a parsed line within bounds. Returns false when it is unsolicited. */
  readonly take: (message: unknown) => boolean;
  /** Takes an unusable line. `edges`: its start and end, which may name its request. False: it names none in flight. */
  readonly refuse: (refusal: RejectedMessage, edges: string) => boolean;
}

/**
 * Splits bytes into control messages, one per line and in order. Lines obey the bounds of all messages, and unsolicited
 * ones are throttled. Unlike a line from a stdio server, a line names its request in its envelope.
 */
export class ControlLines {
  readonly #options: ControlLinesOptions;
  readonly #unsolicitedLimit: UnsolicitedLimit;
  #line: Line | undefined;
  #waiting: Buffer[] = [];
  #busy: Promise<void> | undefined;
  #junk = 0;
  #isOver = false;

  constructor(options: ControlLinesOptions) {
    this.#options = options;
    this.#unsolicitedLimit = new UnsolicitedLimit(options.clock);
  }

  push(bytes: Buffer): void {
    if (this.#isOver) return;
    if (this.#busy) this.#waiting.push(bytes);
    else this.#take(bytes);
  }

  /** Resolves when all bytes so far have been processed. */
  async idle(): Promise<void> {
    while (this.#busy) await this.#busy;
  }

  /** Ends the input; the last line may lack its line end. */
  finish(): Promise<void> {
    this.push(Buffer.from([LINE_FEED]));
    return this.idle();
  }

  /** Drops everything; nothing is delivered any more. */
  end(): void {
    this.#isOver = true;
    this.#line = undefined;
    this.#waiting = [];
  }

  #take(bytes: Buffer): void {
    for (let from = 0; from < bytes.length && !this.#isOver;) {
      const end = bytes.indexOf(LINE_FEED, from);
      const line = (this.#line ??= new Line(this.#options.clock));
      line.push(bytes.subarray(from, end === -1 ? bytes.length : end));
      if (end === -1) {
        if (line.bytes > SPILL_LIMIT) this.#giveUp('it sends a line that does not end');
        return;
      }
      from = end + 1;
      this.#line = undefined;
      const wait = this.#endLine(line) ?? this.#rest();
      if (wait) return this.#holdFor(wait, bytes.subarray(from));
    }
  }

  /** A wait when unsolicited messages have used up their limit; undefined otherwise. */
  #rest(): Promise<void> | undefined {
    return this.#unsolicitedLimit.isSpent ? this.#unsolicitedLimit.renew() : undefined;
  }

  #endLine(line: Line): Promise<void> | undefined {
    if (line.isBlank) return undefined;
    const outcome = line.end();
    if (outcome instanceof Promise) return this.#later(outcome, line);
    this.#deliver(outcome, line);
    return undefined;
  }

  async #later(outcome: Promise<ReadOutcome>, line: Line): Promise<void> {
    const settled = await outcome;
    if (!this.#isOver) this.#deliver(settled, line);
    await this.#rest();
  }

  #deliver(outcome: ReadOutcome, line: Line): void {
    const { take, refuse } = this.#options;
    const isWanted = outcome.kind === 'message' ? take(outcome.message) : refuse(outcome.refusal, line.edges);
    if (isWanted) this.#junk = 0;
    else {
      this.#unsolicitedLimit.spend(line.bytes);
      // One large line counts little: only many unusable lines mean that the program speaks another protocol.
      if (outcome.kind === 'refused') this.#junk += Math.min(line.bytes, JUNK_OF_ONE);
      if (this.#junk > JUNK_LIMIT) this.#giveUp(`it sent ${JUNK_LIMIT / 1_000_000} MB that are not control messages`);
    }
  }

  #giveUp(reason: string): void {
    this.end();
    this.#options.giveUp(reason);
  }

  /** Pauses the input until `wait` resolves, then goes on with `rest`. */
  #holdFor(wait: Promise<void>, rest: Buffer): void {
    this.#waiting.unshift(rest);
    this.#options.pause();
    this.#busy = this.#goOn(wait);
  }

  async #goOn(wait: Promise<void>): Promise<void> {
    await wait;
    this.#busy = undefined;
    while (!this.#busy && !this.#isOver && this.#waiting.length > 0) this.#take(this.#waiting.shift()!);
    if (!this.#busy && !this.#isOver) this.#options.resume();
  }
}

/** One line, as far as it has arrived. */
class Line {
  bytes = 0;
  #reader: MessageReader | undefined;
  #head: Buffer = EMPTY;
  #tail: Buffer = EMPTY;

  constructor(clock: Clock) {
    this.#reader = new MessageReader({ clock, spillFor: () => undefined });
  }

  get isBlank(): boolean {
    if (this.bytes > EDGE || this.#head[0] === OPEN_BRACE) return false;
    return decode(this.#head).text.trim() === '';
  }

  /** The start and the end of the line; the whole line if it is short. */
  get edges(): string {
    return decode(this.bytes <= EDGE ? this.#head : Buffer.concat([this.#head, this.#tail])).text;
  }

  push(bytes: Buffer): void {
    this.bytes += bytes.length;
    if (this.#head.length < EDGE) this.#head = join(this.#head, bytes.subarray(0, EDGE)).subarray(0, EDGE);
    this.#tail = (bytes.length < EDGE ? join(this.#tail, bytes) : bytes).subarray(-EDGE);
    // Beyond the limit only the length counts.
    if (this.bytes > MEMORY_LIMIT) this.#reader = undefined;
    else void this.#reader?.push(bytes);
  }

  end(): ReadOutcome | Promise<ReadOutcome> {
    const reason = `it has more than ${MEMORY_LIMIT / 1_000_000} MB`;
    return (
      this.#reader?.end() ?? {
        kind: 'refused',
        refusal: { code: 'answer-too-large', reason, ids: [], isAnswer: true },
      }
    );
  }
}

/** Concatenates without copying when the first is empty, as for a line that arrives in one chunk. */
function join(first: Buffer, second: Buffer): Buffer {
  return first.length === 0 ? second : Buffer.concat([first, second]);
}

const LINE_FEED = 0x0a;
const EDGE = 1_024; // bytes; the envelope takes about 150, then the response follows
const JUNK_LIMIT = 16_000_000;
const JUNK_OF_ONE = 1_000_000;
const EMPTY = Buffer.alloc(0);
