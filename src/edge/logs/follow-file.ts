import { attempt } from '../../base/attempt.js';
import { pause } from '../../base/pause.js';
import { closeSync, fstatSync, statSync } from 'node:fs';
import { systemClock } from '../clock.js';
import { type FilePosition, openLog, readAt } from './tail-file.js';

export interface FollowOptions {
  /** Aborting ends it. */
  readonly signal: AbortSignal;
  /** Where to go on; without one at the beginning of the file, which need not exist yet. */
  readonly from: FilePosition | undefined;
  readonly pollMs?: number;
  /** Never an empty list. False: nobody listens any more. */
  readonly onLines: (lines: readonly string[]) => boolean;
}

/**
 * Tells what is appended to a log, line by line: when it is renamed to `path.1` and begun anew, when it is cut short, and when it
 * does not exist yet. Resolves when the signal aborts or nobody listens; rejects with a HostError when it cannot be read.
 */
export async function followFile(path: string, options: FollowOptions): Promise<void> {
  const { signal, pollMs = POLL_MS } = options;
  using follower = new Follower(path, options);
  // Asked, and not told: a watch is silent on network drives, and four looks a second cost nothing.
  while (!signal.aborted && follower.look()) await pause(pollMs, { clock: systemClock, signal });
}

const POLL_MS = 250;
const PIECE = 65_536;
const BEHIND = 4_194_304; // who is further behind than this is not caught up with line by line
const CAUGHT_UP = 262_144;
const LONGEST_LINE = 65_536;
const IDLE_LOOKS = 4; // a line without an end is told by then
const LINE_END = 0x0a;

class Follower implements Disposable {
  readonly #path: string;
  readonly #tell: (lines: readonly string[]) => boolean;
  #descriptor: number | undefined;
  #inode: number | undefined;
  #offset = 0;
  /** The beginning of a line. */
  #rest: Buffer = Buffer.alloc(0);
  #idle = 0;

  constructor(path: string, { from, onLines }: FollowOptions) {
    this.#path = path;
    this.#tell = onLines;
    // What was read so far may have become the older half since.
    if (from) [path, `${path}.1`].some((file) => this.#open(file, from));
  }

  /** False: nobody listens any more. */
  look(): boolean {
    if (!this.#read()) return false;
    const inode = inodeOf(this.#path);
    if (inode !== undefined && inode !== this.#inode) {
      // Something may have been added between the last look and the rename.
      if (!this.#read()) return false;
      const isMissed = this.#inode !== undefined && inodeOf(`${this.#path}.1`) !== this.#inode;
      this.#close();
      if (isMissed && !this.#tell([GAP])) return false;
      if (this.#open(this.#path) && !this.#read()) return false;
    }
    return this.#tellIdle();
  }

  [Symbol.dispose](): void {
    this.#close();
  }

  #open(path: string, from?: FilePosition): boolean {
    const descriptor = openLog(path);
    if (descriptor === undefined) return false;
    const { ino } = fstatSync(descriptor);
    if (from && from.inode !== ino) {
      closeSync(descriptor);
      return false;
    }
    this.#descriptor = descriptor;
    this.#inode = ino;
    this.#offset = from?.offset ?? 0;
    return true;
  }

  #close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    this.#inode = undefined;
  }

  #read(): boolean {
    const descriptor = this.#descriptor;
    if (descriptor === undefined) return true;
    const { size } = fstatSync(descriptor);
    if (size < this.#offset) this.#skipTo(0);
    const lines: string[] = [];
    const behind = size - this.#offset;
    if (behind > BEHIND) {
      lines.push(`[${behind - CAUGHT_UP} bytes left out: they came faster than they could be shown]`);
      this.#skipTo(size - CAUGHT_UP);
    }
    while (this.#offset < size) {
      const piece = readAt(descriptor, this.#offset, Math.min(PIECE, size - this.#offset));
      if (piece.length === 0) break; // it was cut short meanwhile
      this.#offset += piece.length;
      this.#idle = 0;
      this.#split(piece, lines);
    }
    return lines.length === 0 || this.#tell(lines);
  }

  #skipTo(offset: number): void {
    this.#offset = offset;
    this.#rest = Buffer.alloc(0);
  }

  #split(piece: Buffer, lines: string[]): void {
    let start = 0;
    for (let end = piece.indexOf(LINE_END); end !== -1; end = piece.indexOf(LINE_END, start)) {
      lines.push(Buffer.concat([this.#rest, piece.subarray(start, end)]).toString('utf8'));
      this.#rest = Buffer.alloc(0);
      start = end + 1;
    }
    this.#rest = Buffer.concat([this.#rest, piece.subarray(start)]);
    if (this.#rest.length < LONGEST_LINE) return;
    lines.push(this.#rest.toString('utf8'));
    this.#rest = Buffer.alloc(0);
  }

  /** A question, for instance, has no line end. */
  #tellIdle(): boolean {
    if (this.#rest.length === 0 || ++this.#idle < IDLE_LOOKS) return true;
    const line = this.#rest.toString('utf8');
    this.#rest = Buffer.alloc(0);
    return this.#tell([line]);
  }
}

const GAP = '[some lines are missing: the log was begun anew more than once in a moment]';

function inodeOf(path: string): number | undefined {
  return attempt(() => statSync(path, { throwIfNoEntry: false })?.ino); // its folder is not there either
}
