import { attempt } from '../../base/attempt.js';
import { pause } from '../../base/pause.js';
import { closeSync, fstatSync, statSync } from 'node:fs';
import { systemClock } from '../clock.js';
import { type FilePosition, openLog, readAt } from './tail-file.js';

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Where to go on; undefined: at the beginning of the file, which need not exist yet. */
  readonly from: FilePosition | undefined;
  readonly pollMs?: number;
  /** Never gets an empty list. Returns false when no more lines are wanted. */
  readonly onLines: (lines: readonly string[]) => boolean;
}

/**
 * Passes on the lines appended to a log, also when it is renamed to `path.1` and restarted, truncated, or created
 * later. Resolves on abort or when `onLines` returns false; rejects with a `HostError` when the log is unreadable.
 */
export async function followFile(path: string, options: FollowOptions): Promise<void> {
  const { signal, pollMs = POLL_MS } = options;
  using follower = new Follower(path, options);
  // Polls, because watches are silent on network drives and four checks a second cost nothing.
  while (!signal.aborted && follower.look()) await pause(pollMs, { clock: systemClock, signal });
}

const POLL_MS = 250;
const PIECE = 65_536;
const BEHIND = 4_194_304; // bytes; a reader further behind than this skips to the last CAUGHT_UP bytes
const CAUGHT_UP = 262_144;
const LONGEST_LINE = 65_536;
const IDLE_LOOKS = 4; // polls until an unfinished line is passed on
const LINE_END = 0x0a;

class Follower implements Disposable {
  readonly #path: string;
  readonly #tell: (lines: readonly string[]) => boolean;
  #descriptor: number | undefined;
  #inode: number | undefined;
  #offset = 0;
  /** The beginning of a line that has no end yet. */
  #rest: Buffer = Buffer.alloc(0);
  #idle = 0;

  constructor(path: string, { from, onLines }: FollowOptions) {
    this.#path = path;
    this.#tell = onLines;
    // The log may have been renamed to `path.1` since `from` was taken.
    if (from) [path, `${path}.1`].some((file) => this.#open(file, from));
  }

  /** Returns false when no more lines are wanted. */
  look(): boolean {
    if (!this.#read()) return false;
    const inode = inodeOf(this.#path);
    if (inode !== undefined && inode !== this.#inode) {
      // Lines may have been appended between the last read and the rename.
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
      if (piece.length === 0) break; // truncated meanwhile
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

  /** Passes on a line without an end after a while: a prompt, for instance, has none. */
  #tellIdle(): boolean {
    if (this.#rest.length === 0 || ++this.#idle < IDLE_LOOKS) return true;
    const line = this.#rest.toString('utf8');
    this.#rest = Buffer.alloc(0);
    return this.#tell([line]);
  }
}

const GAP = '[some lines are missing: the log was begun anew more than once in a moment]';

function inodeOf(path: string): number | undefined {
  return attempt(() => statSync(path, { throwIfNoEntry: false })?.ino); // its folder does not exist either
}
