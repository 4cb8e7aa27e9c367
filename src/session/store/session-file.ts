import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { isUtf8 } from 'node:buffer';
import { READ_FLAGS, readAt } from '../../edge/logs/tail-file.js';
import { errorCodeOf } from '../../edge/files/write-error.js';
import { brokenSession } from './session-error.js';
import { SESSION_BYTES, lineExcess } from './session-bounds.js';
import type { SaidItems } from './said-items.js';
import { faultReason, SessionReader } from './session-reader.js';

export interface SessionFileRead {
  readonly reader: SessionReader;
  /** Bytes up to the end of the last whole line; the line under way when the writer ended is left out. */
  readonly end: number;
  /** Of all lines, for the bound that writing goes on with. */
  readonly values: number;
}

/** How a session file is opened: never through a link, which could lead anywhere, and never blocking on a FIFO. */
export const SESSION_FLAGS = {
  read: READ_FLAGS,
  append: constants.O_RDWR | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
} as const;

/** Opens a session file that is there; undefined when there is none. Throws `session-broken` for what is not the user's own. */
export function openSessionFile(path: string, mode: keyof typeof SESSION_FLAGS): number | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, SESSION_FLAGS[mode]);
  } catch (cause) {
    const code = errorCodeOf(cause) ?? 'unknown';
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw brokenSession(path, OPEN_FAULTS[code] ?? `it cannot be opened (${code})`);
  }
  const fault = foreignness(descriptor);
  if (fault === undefined) return descriptor;
  closeSync(descriptor);
  throw brokenSession(path, fault);
}

const OPEN_FAULTS: Readonly<Record<string, string>> = {
  ELOOP: 'it is a symbolic link',
  EISDIR: 'it is not a regular file',
  ENXIO: 'it is not a regular file',
  EACCES: 'permission denied (EACCES)',
};

/** Why another user may have written an open file; undefined when none may. */
function foreignness(descriptor: number): string | undefined {
  const stats = fstatSync(descriptor);
  if (!stats.isFile()) return 'it is not a regular file';
  const self = process.getuid?.();
  if (self === undefined) return undefined; // Windows protects its folders in another way
  if (stats.uid !== self) return `it belongs to another user (uid ${stats.uid})`;
  return (stats.mode & OTHERS_WRITE) === 0 ? undefined : 'other users may write to it';
}

const OTHERS_WRITE = 0o022;

/** What is read of a session file. */
export interface WantedFile {
  readonly path: string;
  readonly id: string;
  /** The message that the reader's `toldUntil` is about. */
  readonly until?: string | undefined;
  /** Gets all that was said. */
  readonly said?: SaidItems;
}

/** Throws `session-broken`. Reads within bounds. */
export function readSessionFile(descriptor: number, { path, id, until, said }: WantedFile): SessionFileRead {
  const { size } = fstatSync(descriptor);
  if (size > SESSION_BYTES) throw brokenSession(path, `it has ${size} bytes, the limit is ${SESSION_BYTES}`);
  const reader = new SessionReader(id, { until, said });
  let count = 0;
  let end = 0;
  let values = 0;
  for (const line of linesOf(descriptor, size)) {
    count++;
    const measured = lineExcess(line, values);
    if (measured.excess !== undefined) throw brokenSession(path, measured.excess, count);
    if (!isUtf8(line)) throw brokenSession(path, 'it is not UTF-8', count);
    try {
      reader.take(line.toString('utf8'));
    } catch (cause) {
      throw brokenSession(path, faultReason(cause), count);
    }
    values += measured.values;
    end += line.length + 1;
  }
  return { reader, end, values };
}

/** The whole lines of a file, without their ends. */
function* linesOf(descriptor: number, size: number): Generator<Buffer> {
  let begun: Buffer[] = [];
  for (let at = 0; at < size;) {
    const piece = readAt(descriptor, at, Math.min(PIECE, size - at));
    if (piece.length === 0) return; // truncated meanwhile
    at += piece.length;
    let from = 0;
    for (let end = piece.indexOf(LINE_END); end !== -1; end = piece.indexOf(LINE_END, from)) {
      const rest = piece.subarray(from, end);
      yield begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
      begun = [];
      from = end + 1;
    }
    if (from < piece.length) begun.push(piece.subarray(from));
  }
}

const PIECE = 1_048_576;
const LINE_END = 0x0a;
