import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { HostError } from '../../base/errors.js';
import { shellWord } from '../../base/shell-word.js';
import { TRUNCATION_MARK } from '../../model/text/text-gate.js';
import { errorCodeOf } from '../files/write-error.js';

/** How far a file has been read. The inode identifies the file: another one may have its path by now. */
export interface FilePosition {
  readonly inode: number;
  readonly offset: number;
}

export interface Tail {
  readonly lines: readonly string[];
  /** After the last complete line; undefined when the file does not exist. */
  readonly position: FilePosition | undefined;
}

export interface TailOptions {
  /** The largest number of lines to return. */
  readonly lines: number;
  /** Whether to return a last line that has no end yet. Reading on from `position` returns that line again. */
  readonly takesUnfinished: boolean;
  /** The most bytes to read; 4 MB by default. */
  readonly bytes?: number;
}

/**
 * Returns the last lines of a log, read backwards and on into the older file `path.1` where needed, without reading
 * more than that. Throws a `HostError` when the log exists and cannot be read.
 */
export function readTail(path: string, { lines, takesUnfinished, bytes = BYTES }: TailOptions): Tail {
  const pieces: Buffer[] = [];
  let ends = 0;
  let room = bytes;
  let position: FilePosition | undefined;
  /** Returns true when there are enough lines, or no room for more. */
  const take = (descriptor: number, size: number): boolean => {
    for (let end = size; end > 0 && room > 0;) {
      const length = Math.min(PIECE, end, room);
      const piece = readAt(descriptor, end - length, length);
      if (piece.length < length) return true; // truncated meanwhile
      end -= length;
      room -= length;
      pieces.unshift(piece);
      ends += countEnds(piece);
      if (ends > lines) return true;
    }
    return room === 0;
  };
  const isEnough = lookInto(path, (descriptor, { size, inode }) => {
    const enough = take(descriptor, size);
    const read = Buffer.concat(pieces);
    position = { inode, offset: size - (read.length - (read.lastIndexOf(LINE_END) + 1)) };
    return enough;
  });
  if (isEnough !== true) {
    // The log may have been renamed to `path.1` between the two reads.
    lookInto(`${path}.1`, (descriptor, { size, inode }) => inode === position?.inode || take(descriptor, size));
  }
  return { lines: toLines(Buffer.concat(pieces), { lines, takesUnfinished, isCut: room === 0 }), position };
}

const BYTES = 4_194_304; // 4 MB: some ten thousand lines of usual length
const PIECE = 65_536;
const LINE_END = 0x0a;

interface Found {
  readonly size: number;
  readonly inode: number;
}

/** Opens a log for `look`, and closes it; undefined when there is none. */
function lookInto<Result>(path: string, look: (descriptor: number, found: Found) => Result): Result | undefined {
  const descriptor = openLog(path);
  if (descriptor === undefined) return undefined;
  try {
    const { size, ino } = fstatSync(descriptor);
    return look(descriptor, { size, inode: ino });
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a log for reading; undefined when there is none. Throws a `HostError`. Never blocks on a FIFO. */
export function openLog(path: string): number | undefined {
  try {
    const descriptor = openSync(path, READ_FLAGS);
    if (fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
  } catch (cause) {
    const code = errorCodeOf(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw unreadable(path, code ?? 'unknown', cause);
  }
  throw unreadable(path, 'it is not a regular file');
}

// A link could lead anywhere, and opening a FIFO would wait for a writer. Windows has neither flag.
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

function unreadable(path: string, reason: string, cause?: unknown): HostError {
  return new HostError('config-unreadable', `The log ${path} cannot be read: ${reason}`, {
    hint: `Look at: ls -l ${shellWord(path)}`,
    cause,
  });
}

/** Reads up to `length` bytes from `position`, fewer at the end of the file; into `given` if they fit. */
export function readAt(descriptor: number, position: number, length: number, given?: Buffer): Buffer {
  const buffer = given && given.length >= length ? given : Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(descriptor, buffer, filled, length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

function countEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_END); at !== -1; at = bytes.indexOf(LINE_END, at + 1)) count++;
  return count;
}

interface Cut {
  readonly lines: number;
  readonly takesUnfinished: boolean;
  readonly isCut: boolean;
}

function toLines(bytes: Buffer, { lines, takesUnfinished, isCut }: Cut): readonly string[] {
  const all = bytes.toString('utf8').split('\n');
  const unfinished = all.pop()!;
  if (unfinished !== '' && takesUnfinished) all.push(unfinished);
  // The first line began before the bytes that were read.
  if (isCut && all.length > 0) all[0] = `${TRUNCATION_MARK} ${all[0]}`;
  return lines === 0 ? [] : all.slice(-lines);
}
