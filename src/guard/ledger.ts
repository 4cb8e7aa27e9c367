import { within } from '../base/within.js';
import { systemClock } from '../edge/clock.js';
import { addExitTask, deleteExitTask } from '../edge/processes/exit-tasks.js';
import { PartialWrite, RollingFile } from '../edge/logs/rolling-file.js';
import { toWriteError } from '../edge/files/write-error.js';
import type { Clock } from '../model/clock.js';
import type { LedgerEntry } from '../model/ledger-entry.js';
import { type TextRedactor, textRedactor } from '../model/redaction/redact-text.js';
import { gateLine } from '../model/text/text-gate.js';
import { ledgerFile } from './ledger-file.js';

export interface LedgerOptions {
  /** Where it is kept; made when the first line is written. */
  readonly folder: string;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly wall: () => number;
  /** Told once when nothing can be written, and not again before it has worked in between. Contract: must not throw. */
  onProblem(message: string): void;
  readonly session?: string | undefined;
  /** What takes secrets out of messages. */
  readonly redactor?: TextRedactor | undefined;
  /** Of one file. */
  readonly bytes?: number;
  /** How many older files there are. */
  readonly keep?: number;
}

/**
 * What was called, decided and answered: a line of JSON for each call, in a file that hosts share. A call pays for a short text;
 * it is written a moment later, together with others. Whatever goes wrong with that harms no call.
 */
export class Ledger implements AsyncDisposable {
  readonly #path: string;
  readonly #file: RollingFile;
  readonly #clock: Clock;
  readonly #options: LedgerOptions;
  readonly #redactor: TextRedactor;
  /** Names and rules, fit to be written. */
  readonly #names = new Map<string, string>();
  /** Of every line. */
  readonly #end: string;
  #second = { number: -1, text: '' };
  #moment = { time: -1, text: '' };
  /** Whole lines that wait: as bytes, because pieces of texts that live for long cost more than all the rest. */
  #room = Buffer.allocUnsafe(ROOM_BYTES);
  #used = 0;
  #lost = 0;
  #timer: Disposable | undefined;
  #writing: Promise<void> | undefined;
  #failures = 0;
  #closing: Promise<void> | undefined;

  constructor(options: LedgerOptions) {
    const { folder, clock = systemClock, bytes = FILE_BYTES, keep = KEPT_FILES } = options;
    this.#options = options;
    this.#path = ledgerFile(folder);
    this.#file = new RollingFile(this.#path, { bytes, keep });
    this.#clock = clock;
    this.#redactor = options.redactor ?? textRedactor();
    const session = options.session === undefined ? '' : `,"session":${this.#name(options.session)}`;
    this.#end = `,"pid":${process.pid}${session}}\n`;
  }

  /** Never throws, never waits. */
  write(entry: LedgerEntry): void {
    if (this.#closing) return;
    if (this.#used > QUEUE_LENGTH) {
      this.#lost++;
      return;
    }
    this.#append(this.#toLine(entry));
    if (this.#used > FULL_BYTES && this.#failures === 0 && !this.#writing) {
      this.#timer?.[Symbol.dispose]();
      this.#flush();
    }
    if (!this.#timer && !this.#writing) {
      this.#timer = this.#clock.after(GATHER_MS, this.#flush);
      addExitTask(this.#writeNow);
    }
  }

  /** Resolves when everything is on the disk, or will never be. Idempotent, never rejects. */
  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    using _ = this.#clock.hold(); // a program that waits only for this must not end before it is done
    await within(this.#finish(), {
      deadline: (expire) => this.#clock.after(CLOSE_MS, expire),
      instead: () => undefined,
    });
    deleteExitTask(this.#writeNow);
  }

  async #finish(): Promise<void> {
    await this.#writing;
    this.#timer?.[Symbol.dispose]();
    await this.#write();
    this.#timer?.[Symbol.dispose]();
    await this.#file[Symbol.asyncDispose]();
  }

  readonly #flush = (): void => {
    this.#timer = undefined;
    this.#writing = this.#writeBatch();
  };

  async #writeBatch(): Promise<void> {
    await this.#write();
    this.#writing = undefined;
    if (this.#timer || this.#closing) return;
    if (this.#used === 0) deleteExitTask(this.#writeNow);
    else this.#timer = this.#clock.after(GATHER_MS, this.#flush);
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    if (this.#lost > 0) this.#append(`{"at":"${this.#now()}","lost":${this.#lost}${this.#end}`);
    if (this.#used === 0) return;
    const waiting = this.#take();
    this.#lost = 0;
    try {
      await this.#file.append(waiting);
      this.#failures = 0;
    } catch (error) {
      const isPartial = error instanceof PartialWrite;
      const rest = waiting.subarray(isPartial ? error.written : 0);
      const since = this.#take();
      this.#room = Buffer.concat([rest, since]);
      this.#used = this.#room.length;
      this.#fail(isPartial ? error.cause : error);
    }
  }

  /** Calls go on; it is tried again, less and less often. */
  #fail(cause: unknown): void {
    this.#failures++;
    const ms = Math.min(FIRST_RETRY_MS * 2 ** (this.#failures - 1), LONGEST_RETRY_MS);
    this.#timer = this.#clock.after(ms, this.#flush);
    if (this.#failures > 1) return;
    const { message, hint } = toWriteError(this.#path, cause);
    this.#options.onProblem(`Calls go on without a ledger: ${message}${hint === undefined ? '' : `. ${hint}`}`);
  }

  /** For a process that ends without having closed it. */
  readonly #writeNow = (): void => {
    try {
      if (this.#used > 0) this.#file.appendNow(this.#take());
    } catch {
      // There is nobody left who could be told.
    }
  };

  #append(line: string): void {
    const needed = this.#used + MOST_BYTES * line.length;
    if (needed > this.#room.length) {
      const room = Buffer.allocUnsafe(Math.max(needed, 2 * this.#room.length));
      this.#room.copy(room, 0, 0, this.#used);
      this.#room = room;
    }
    this.#used += this.#room.write(line, this.#used);
  }

  /** All that waits; whatever comes now is written elsewhere. */
  #take(): Buffer {
    const waiting = this.#room.subarray(0, this.#used);
    this.#room = Buffer.allocUnsafe(ROOM_BYTES);
    this.#used = 0;
    return waiting;
  }

  /** By hand, because JSON.stringify of an object takes three times as long, and every call pays for it. */
  #toLine(entry: LedgerEntry): string {
    const { id, server, rule, uri, prompt, code, message, waitedMs, bytesIn, bytesOut, tokens, attempts } = entry;
    // Those that hosts and models make up are of this kind; whatever else comes is looked at like any text.
    const shown = PLAIN_ID.test(id)
      ? `"${id}"`
      : JSON.stringify(this.#fit(typeof id === 'string' ? id : '', NAME_LENGTH));
    let line = `{"id":${shown},"at":"${this.#now()}","tool":${this.#name(entry.tool)}`;
    if (server !== undefined) line += `,"server":${this.#name(server)}`;
    line += `,"decision":${this.#name(entry.decision)}`;
    if (rule !== undefined) line += `,"rule":${this.#name(rule)}`;
    line += `,"outcome":${this.#name(entry.outcome)}`;
    if (uri !== undefined) line += `,"uri":${JSON.stringify(this.#fit(uri, URI_LENGTH))}`;
    if (prompt !== undefined) line += `,"prompt":${this.#name(prompt)}`;
    if (code !== undefined) line += `,"code":${this.#name(code)}`;
    if (message !== undefined) line += `,"message":${JSON.stringify(this.#fit(message, MESSAGE_LENGTH))}`;
    line += `,"ms":${rounded(entry.ms)}`;
    if (waitedMs !== undefined) line += `,"waitedMs":${rounded(waitedMs)}`;
    if (bytesIn !== undefined) line += `,"bytesIn":${rounded(bytesIn)}`;
    if (bytesOut !== undefined) line += `,"bytesOut":${rounded(bytesOut)}`;
    if (tokens !== undefined) line += `,"tokens":${rounded(tokens)}`;
    if (attempts !== undefined) line += `,"attempts":${rounded(attempts)}`;
    return line + this.#end;
  }

  /** ISO 8601. Most calls are in the same second as the one before. */
  #now(): string {
    const wall = this.#options.wall();
    const time = wall >= 0 && wall < LAST_TIME ? Math.floor(wall) : 0;
    const second = Math.floor(time / 1000);
    if (second !== this.#second.number) {
      this.#second = { number: second, text: new Date(second * 1000).toISOString().slice(0, -4) };
    }
    if (time !== this.#moment.time) {
      this.#moment = { time, text: `${this.#second.text}${String(time % 1000).padStart(3, '0')}Z` };
    }
    return this.#moment.text;
  }

  /** As JSON. The same ones come again and again. */
  #name(name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const clean = JSON.stringify(this.#fit(name, NAME_LENGTH));
    if (this.#names.size >= NAMES_LIMIT) this.#names.clear();
    if (name.length <= NAME_LENGTH) this.#names.set(name, clean);
    return clean;
  }

  /** What a terminal would obey goes first, for it could tear a secret apart; and so could the cut, which comes last. */
  #fit(text: string, limit: number): string {
    const whole = gateLine(text, { limit: limit + this.#redactor.reach }).text;
    return gateLine(this.#redactor.redact(whole), { limit }).text;
  }
}

const PLAIN_ID = /^[\w-]{1,64}$/;
const ROOM_BYTES = 65_536;
const FULL_BYTES = 262_144; // is not waited with: tens of thousands of calls in a second would lose lines
const MOST_BYTES = 3; // of one unit of a text, in UTF-8
const GATHER_MS = 100;
const FILE_BYTES = 10_485_760; // some 40,000 calls
const KEPT_FILES = 5;
const QUEUE_LENGTH = 1_048_576; // what waits while the disk is full or slow: some 4,000 calls
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 300_000;
const CLOSE_MS = 2_000; // a disk that hangs does not hold up a close
const NAME_LENGTH = 200;
const MESSAGE_LENGTH = 300;
const URI_LENGTH = 1_000; // enough to see what was sent in it
const NAMES_LIMIT = 20_000;
const LAST_TIME = Date.UTC(10_000, 0); // years of four digits

function rounded(ms: number): number {
  return Number.isFinite(ms) ? Math.round(ms * 10) / 10 : 0;
}
