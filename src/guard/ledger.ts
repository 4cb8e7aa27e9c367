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
import { BlockLines, type RecordedTurn } from './value/block-lines.js';

export interface LedgerOptions {
  /** Created when the first line is written. */
  readonly folder: string;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly wall: () => number;
  /** Called once when writing fails, and again only after it has worked in between. Contract: must not throw. */
  onProblem(message: string): void;
  readonly session?: string | undefined;
  /** Removes secrets from messages. */
  readonly redactor?: TextRedactor | undefined;
  /** Maximum size of one file. */
  readonly bytes?: number;
  /** Number of older files to keep. */
  readonly keep?: number;
}

/**
 * One line of JSON for each call, with decision and outcome, and for each turn of a conversation, in a file that hosts
 * share. A call only formats a short line; lines are written later, in batches. A failure to write never affects a call.
 */
export class Ledger implements AsyncDisposable {
  readonly #path: string;
  readonly #file: RollingFile;
  readonly #clock: Clock;
  readonly #options: LedgerOptions;
  readonly #redactor: TextRedactor;
  /** Names and rules as cleaned JSON strings, cached. */
  readonly #names = new Map<string, string>();
  /** What the last line of each tool says of server, decision and outcome, as JSON. */
  readonly #decided = new Map<string, Decided>();
  /** The end of every line: pid and session. */
  readonly #end: string;
  #second = { number: -1, text: '' };
  #moment = { time: -1, text: '' };
  /** Pending lines, as bytes: many small strings that live long cost more than all the rest. */
  #room = Buffer.allocUnsafe(ROOM_BYTES);
  #used = 0;
  #lost = 0;
  #lostTurns = 0;
  readonly #blocks = new BlockLines((name) => this.#name(name));
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

  /** Never throws, never blocks. */
  write(entry: LedgerEntry): void {
    if (this.#closing) return;
    if (this.#used > QUEUE_LENGTH) this.#lost++;
    else this.#put(this.#toLine(entry));
  }

  /** A turn of a conversation: a line that refers to another one, which is written for the first of many turns. */
  writeTurn(turn: RecordedTurn): void {
    if (this.#closing) return;
    if (this.#used > QUEUE_LENGTH) {
      this.#lostTurns++;
      return;
    }
    const { block, text } = this.#blocks.next(turn, this.#options.wall());
    const start = `"at":"${this.#now()}"`;
    if (text !== undefined) this.#put(`{"block":"${block}",${start},${text}${this.#end}`);
    const changes = turn.changed.size === 0 ? '' : `,"changes":{${this.#toChanges(turn)}}`;
    this.#put(`{"turn":"${block}",${start}${changes}${this.#end}`);
  }

  #toChanges({ changed }: RecordedTurn): string {
    const told = [...changed].slice(0, CHANGES_LIMIT);
    return told.map(([server, tokens]) => `${this.#name(server)}:${tokens}`).join(',');
  }

  #put(line: string): void {
    this.#append(line);
    if (this.#used > FULL_BYTES && this.#failures === 0 && !this.#writing) {
      this.#timer?.[Symbol.dispose]();
      this.#flush();
    }
    if (!this.#timer && !this.#writing) {
      this.#timer = this.#clock.after(GATHER_MS, this.#flush);
      addExitTask(this.#writeNow);
    }
  }

  /** Resolves when the lines so far are on disk, or cannot be written at the moment. Never rejects. */
  async written(): Promise<void> {
    await this.#writing;
    if (this.#used === 0 || this.#failures > 0 || this.#closing) return;
    this.#timer?.[Symbol.dispose]();
    this.#flush();
    await this.#writing;
  }

  /** Resolves when everything is on disk or has failed. Idempotent, never rejects. */
  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    using _ = this.#clock.hold(); // keeps the event loop alive until the last write is done
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
    if (this.#lostTurns > 0) this.#append(`{"at":"${this.#now()}","lostTurns":${this.#lostTurns}${this.#end}`);
    if (this.#used === 0) return;
    const waiting = this.#take();
    this.#lost = this.#lostTurns = 0;
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

  /** Retries with growing delays; calls go on meanwhile. */
  #fail(cause: unknown): void {
    this.#failures++;
    const ms = Math.min(FIRST_RETRY_MS * 2 ** (this.#failures - 1), LONGEST_RETRY_MS);
    this.#timer = this.#clock.after(ms, this.#flush);
    if (this.#failures > 1) return;
    const { message, hint } = toWriteError(this.#path, cause);
    this.#options.onProblem(`Calls go on without a ledger: ${message}${hint === undefined ? '' : `. ${hint}`}`);
  }

  /** Writes synchronously when the process exits without closing the ledger. */
  readonly #writeNow = (): void => {
    try {
      if (this.#used > 0) this.#file.appendNow(this.#take());
    } catch {
      // The process exits: the error cannot be reported.
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

  /** Takes all pending bytes; later lines go to a new buffer. */
  #take(): Buffer {
    const waiting = this.#room.subarray(0, this.#used);
    this.#room = Buffer.allocUnsafe(ROOM_BYTES);
    this.#used = 0;
    return waiting;
  }

  /** Written by hand: `JSON.stringify` of an object takes three times as long, for every call. */
  #toLine(entry: LedgerEntry): string {
    const { id, bytesIn, bytesOut, tokens, attempts } = entry;
    // Ids of hosts and models are plain; any other is cleaned like all text.
    const shown = PLAIN_ID.test(id)
      ? `"${id}"`
      : JSON.stringify(this.#fit(typeof id === 'string' ? id : '', NAME_LENGTH));
    let line = `{"id":${shown},"at":"${this.#now()}"${this.#toDecided(entry)}`;
    line += this.#toRare(entry);
    line += `,"ms":${rounded(entry.ms)}`;
    if (entry.waitedMs !== undefined) line += `,"waitedMs":${rounded(entry.waitedMs)}`;
    if (bytesIn !== undefined) line += `,"bytesIn":${rounded(bytesIn)}`;
    if (bytesOut !== undefined) line += `,"bytesOut":${rounded(bytesOut)}`;
    if (tokens !== undefined) line += `,"tokens":${rounded(tokens)}`;
    if (attempts !== undefined) line += `,"attempts":${rounded(attempts)}`;
    return line + this.#end;
  }

  /** What few calls have. */
  #toRare({ uri, prompt, completes, code, message }: LedgerEntry): string {
    let line = '';
    if (uri !== undefined) line += `,"uri":${JSON.stringify(this.#fit(uri, URI_LENGTH))}`;
    if (prompt !== undefined) line += `,"prompt":${this.#name(prompt)}`;
    if (completes !== undefined) line += `,"completes":${this.#name(completes)}`;
    if (code !== undefined) line += `,"code":${this.#name(code)}`;
    if (message !== undefined) line += `,"message":${JSON.stringify(this.#fit(message, MESSAGE_LENGTH))}`;
    return line;
  }

  /** The fields that are the same for most calls of a tool, cached. */
  #toDecided(entry: LedgerEntry): string {
    const { tool, server, decision, rule, flow, outcome } = entry;
    const known = this.#decided.get(tool);
    const isSame =
      known !== undefined &&
      known.server === server &&
      known.decision === decision &&
      known.rule === rule &&
      known.flow === flow &&
      known.outcome === outcome;
    if (isSame) return known.text;
    let text = `,"tool":${this.#name(tool)}`;
    if (server !== undefined) text += `,"server":${this.#name(server)}`;
    text += `,"decision":${this.#name(decision)}`;
    if (rule !== undefined) text += `,"rule":${this.#name(rule)}`;
    if (flow !== undefined) text += `,"flow":${this.#name(flow)}`;
    text += `,"outcome":${this.#name(outcome)}`;
    if (this.#decided.size >= DECIDED_LIMIT) this.#decided.clear();
    if (tool.length <= NAME_LENGTH) this.#decided.set(tool, { server, decision, rule, flow, outcome, text });
    return text;
  }

  /** ISO 8601. Cached by second: most calls fall into the same second as the previous one. */
  #now(): string {
    const wall = this.#options.wall();
    if (wall === this.#moment.time) return this.#moment.text;
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

  /** The name as a JSON string, cached: the same names recur. */
  #name(name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const clean = JSON.stringify(this.#fit(name, NAME_LENGTH));
    if (this.#names.size >= NAMES_LIMIT) this.#names.clear();
    if (name.length <= NAME_LENGTH) this.#names.set(name, clean);
    return clean;
  }

  /** Control sequences are removed first, because one could split a secret; the cut is last, because it could, too. */
  #fit(text: string, limit: number): string {
    const whole = gateLine(text, { limit: limit + this.#redactor.reach }).text;
    return gateLine(this.#redactor.redact(whole), { limit }).text;
  }
}

interface Decided extends Pick<LedgerEntry, 'server' | 'decision' | 'rule' | 'flow' | 'outcome'> {
  readonly text: string;
}

const PLAIN_ID = /^[\w-]{1,64}$/;
const ROOM_BYTES = 65_536;
const FULL_BYTES = 262_144; // written at once: at tens of thousands of calls a second, waiting would lose lines
const MOST_BYTES = 3; // UTF-8 bytes per UTF-16 code unit
const GATHER_MS = 100;
const FILE_BYTES = 10_485_760; // about 40,000 calls
const KEPT_FILES = 5;
const QUEUE_LENGTH = 1_048_576; // bytes pending while the disk is full or slow: about 4,000 calls
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 300_000;
const CLOSE_MS = 2_000; // a disk that hangs does not delay closing
const NAME_LENGTH = 200;
const MESSAGE_LENGTH = 300;
const URI_LENGTH = 1_000; // enough to see what data a URI carried
const NAMES_LIMIT = 20_000;
const DECIDED_LIMIT = 1_000; // tools; each takes some 200 bytes
const CHANGES_LIMIT = 50; // servers that one turn names
const LAST_TIME = Date.UTC(10_000, 0); // years have four digits

function rounded(ms: number): number {
  return Number.isInteger(ms) ? ms : Number.isFinite(ms) ? Math.round(ms * 10) / 10 : 0;
}
