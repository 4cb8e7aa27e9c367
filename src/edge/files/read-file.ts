import { isUtf8 } from 'node:buffer';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs';
import { HostError } from '../../base/errors.js';
import { shellWord } from '../../base/shell-word.js';

/** Bytes. A configuration has some kilobytes; a megabyte still parses at once, a file of 2 GB is never parsed. */
export const FILE_BYTES_LIMIT = 1_048_576;

export type FileRead =
  | {
      readonly kind: 'text';
      readonly text: string;
      /** The file's real path: differs from the requested path when that is a symbolic link. */
      readonly path: string;
      readonly uid: number;
      readonly mode: number;
      readonly mtimeMs: number;
    }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly error: HostError };

/** Reads a small text file that another person may have made. Never throws or blocks; reads no more than the limit. */
export function readBounded(path: string, options: { readonly limit?: number } = {}): FileRead {
  const limit = options.limit ?? FILE_BYTES_LIMIT;
  let descriptor: number | undefined;
  try {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (entry === undefined) return { kind: 'absent' };
    const linked = entry.isSymbolicLink();
    const before = linked ? statSync(path, { throwIfNoEntry: false }) : entry;
    if (before === undefined) return { kind: 'absent' };
    // Checked before the open as well, because opening some devices has side effects.
    if (!before.isFile()) return refusedKind(path, before);

    descriptor = openSync(path, OPEN_FLAGS);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return refusedKind(path, stats);
    if (stats.size > limit) return tooLarge(path, { size: stats.size, limit });
    const bytes = readUpTo(descriptor, { expected: stats.size, limit });
    if (bytes.length > limit) return tooLarge(path, { size: bytes.length, limit });
    const problem = encodingProblem(path, bytes);
    if (problem) return { kind: 'refused', error: problem };
    const text = bytes.toString('utf8', hasBom(bytes) ? 3 : 0);
    const real = linked ? realpathSync.native(path) : path;
    return { kind: 'text', text, path: real, uid: stats.uid, mode: stats.mode & 0o7777, mtimeMs: stats.mtimeMs };
  } catch (error) {
    return fromSystemError(path, error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

// Without O_NONBLOCK, opening a FIFO that replaced the file after stat would block. Windows has neither flag.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Reads all, or just over the limit. A file in /proc has size 0, and a log grows while it is read. */
function readUpTo(descriptor: number, { expected, limit }: { expected: number; limit: number }): Buffer {
  let buffer = Buffer.allocUnsafe(expected + 1);
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, null);
    length += count;
    if (count === 0 || length > limit) return buffer.subarray(0, length);
    if (length < buffer.length) continue;
    const larger = Buffer.allocUnsafe(limit + 1);
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  }
}

function hasBom(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function encodingProblem(path: string, bytes: Buffer): HostError | undefined {
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (wide) {
    return new HostError('config-unreadable', `${path} is UTF-16, not UTF-8`, { hint: SAVE_HINT });
  }
  if (bytes.includes(0)) {
    const message = `${path} holds NUL bytes: it is UTF-16 without a mark, or not text at all`;
    return new HostError('config-unreadable', message, { hint: SAVE_HINT });
  }
  if (isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  const line = text.slice(0, text.indexOf('\uFFFD')).split('\n').length;
  return new HostError('config-unreadable', `${path} is not valid UTF-8, first near line ${line}`, { hint: SAVE_HINT });
}

const SAVE_HINT = 'Save the file as UTF-8 and try again';

function tooLarge(path: string, { size, limit }: { size: number; limit: number }): FileRead {
  const message = `${path} has ${size} bytes or more; the limit is ${limit}`;
  const hint = 'Is this the right file? Split it, or remove what does not belong in it';
  return { kind: 'refused', error: new HostError('config-too-large', message, { hint }) };
}

function refusedKind(path: string, stats: Stats): FileRead {
  const kind = stats.isDirectory()
    ? 'a directory'
    : stats.isFIFO()
      ? 'a FIFO'
      : stats.isSocket()
        ? 'a socket'
        : 'a device';
  return unreadable(path, {
    reason: `it is ${kind}, not a regular file`,
    hint: 'Remove it, or put a regular file there',
  });
}

function fromSystemError(path: string, cause: unknown): FileRead {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { kind: 'absent' };
    case 'EACCES':
    case 'EPERM':
      return unreadable(path, {
        reason: `permission denied (${code})`,
        hint: `Look at: ls -l ${shellWord(path)}`,
        cause,
      });
    case 'ELOOP':
      return unreadable(path, {
        reason: 'its symbolic links lead in a circle',
        hint: `Look at: ls -l ${shellWord(path)}`,
        cause,
      });
    case 'EMFILE':
    case 'ENFILE':
      return unreadable(path, { reason: `too many open files (${code})`, hint: 'Raise the limit: ulimit -n', cause });
    case 'ENXIO': // a socket or a device without a driver that replaced the file between stat and open
      return unreadable(path, { reason: 'it is not a regular file', hint: 'Put a regular file there', cause });
    default:
      return unreadable(path, { reason: code, hint: `Look at: ls -l ${shellWord(path)}`, cause });
  }
}

function unreadable(path: string, why: { reason: string; hint: string; cause?: unknown }): FileRead {
  const { reason, ...options } = why;
  return { kind: 'refused', error: new HostError('config-unreadable', `Cannot read ${path}: ${reason}`, options) };
}
