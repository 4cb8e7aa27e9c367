import { closeSync, fstatSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { HostError } from '../../base/errors.js';
import { isObject, parseJson } from '../../base/json.js';
import { shellWord } from '../../base/shell-word.js';
import { errorCodeOf } from '../../edge/files/write-error.js';
import { openLog, readAt } from '../../edge/logs/tail-file.js';
import { toLedgerLine } from '../../model/ledger-entry.js';
import { parseTurnLine } from '../../model/value/turn-line.js';
import type { ValueTally } from '../../model/value/value-tally.js';
import { ledgerFile } from '../ledger-file.js';

export interface LedgerScan {
  /** Lines that are truncated, too long, or of another format. */
  readonly skipped: number;
  /** Files that could not be read, and why. */
  readonly unread: readonly { readonly file: string; readonly reason: string }[];
}

/**
 * Reads all files of a ledger, oldest first, in pieces, and adds each line to the tally. No ledger is no error. Rejects
 * with a `HostError` when the folder cannot be read, and with the reason of the signal.
 */
export async function scanLedger(folder: string, tally: ValueTally, signal?: AbortSignal): Promise<LedgerScan> {
  const unread: { file: string; reason: string }[] = [];
  let skipped = 0;
  const files = openFiles(folder, unread);
  try {
    for (const descriptor of files) {
      const lines = new LineCutter();
      for (let offset = 0; ;) {
        signal?.throwIfAborted();
        const piece = readPiece(folder, descriptor, offset);
        offset += piece.length;
        for (const line of lines.cut(piece)) if (!addLine(line, tally)) skipped++;
        if (piece.length < PIECE) break;
        // A program that embeds the host goes on with its own work meanwhile.
        await new Promise(setImmediate);
      }
      skipped += lines.skipped;
    }
  } finally {
    for (const descriptor of files) closeSync(descriptor);
  }
  return { skipped, unread };
}

function readPiece(folder: string, descriptor: number, offset: number): Buffer {
  try {
    return readAt(descriptor, offset, PIECE);
  } catch (cause) {
    throw unreadableLedger(folder, cause);
  }
}

/** False for a line that is not of this format. */
function addLine(line: string, tally: ValueTally): boolean {
  // Of what is no JSON, the parser makes an error with a stack: a file full of it would take minutes.
  if (line.length < SHORTEST_LINE || !line.startsWith('{') || !line.endsWith('}')) return false;
  const value = parseJson(line);
  if (!isObject(value)) return false;
  const record = parseTurnLine(value) ?? toLedgerLine(value);
  if (record) tally.add(record);
  return record !== undefined;
}

/**
 * Opens the files, oldest first. All before any is read, and the newest first: when the ledger rolls meanwhile, a file
 * is found under two names, and none is missed.
 */
function openFiles(folder: string, unread: { file: string; reason: string }[]): readonly number[] {
  const inodes = new Set<number>();
  const descriptors: number[] = [];
  for (const name of listFiles(folder)) {
    const file = join(folder, name);
    try {
      const descriptor = openLog(file);
      if (descriptor === undefined) continue;
      const { ino } = fstatSync(descriptor);
      if (inodes.has(ino)) closeSync(descriptor);
      else descriptors.unshift(descriptor);
      inodes.add(ino);
    } catch (error) {
      unread.push({ file, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return descriptors;
}

/** The names of the ledger's files, the newest first. */
function listFiles(folder: string): readonly string[] {
  const newest = basename(ledgerFile(folder));
  const numberOf = (name: string): number => (name === newest ? 0 : Number(name.slice(newest.length + 1)));
  const isOfLedger = (name: string): boolean =>
    name === newest || (name.startsWith(`${newest}.`) && /^[1-9]\d{0,2}$/u.test(name.slice(newest.length + 1)));
  try {
    const names = readdirSync(folder).filter(isOfLedger);
    return names.toSorted((one, other) => numberOf(one) - numberOf(other)).slice(0, FILES);
  } catch (cause) {
    const code = errorCodeOf(cause);
    if (code === 'ENOENT') return [];
    throw unreadableLedger(folder, cause);
  }
}

function unreadableLedger(folder: string, cause: unknown): HostError {
  return new HostError('config-unreadable', `The ledger ${folder} cannot be read: ${errorCodeOf(cause) ?? 'unknown'}`, {
    hint: `Look at: ls -ld ${shellWord(folder)}`,
    cause,
  });
}

/** Cuts bytes into lines. A line longer than the limit is skipped without being held. */
class LineCutter {
  skipped = 0;
  #rest: Buffer = Buffer.alloc(0);
  #isSkipping = false;

  /** The complete lines; a last one without an end is being written, and left out. */
  cut(piece: Buffer): readonly string[] {
    const first = piece.indexOf(LINE_END);
    if (first === -1) {
      this.#hold(piece);
      return [];
    }
    const last = piece.lastIndexOf(LINE_END);
    const head = this.#isSkipping ? [] : [Buffer.concat([this.#rest, piece.subarray(0, first)]).toString('utf8')];
    const lines = first === last ? [] : piece.toString('utf8', first + 1, last).split('\n');
    this.#isSkipping = false;
    this.#rest = Buffer.alloc(0);
    this.#hold(piece.subarray(last + 1));
    const all = [...head, ...lines];
    const fitting = all.filter(({ length }) => length > 0 && length <= LONGEST_LINE);
    this.skipped += all.filter(({ length }) => length > LONGEST_LINE).length;
    return fitting;
  }

  #hold(piece: Buffer): void {
    if (this.#isSkipping) return;
    if (this.#rest.length + piece.length <= LONGEST_LINE) this.#rest = Buffer.concat([this.#rest, piece]);
    else {
      this.#rest = Buffer.alloc(0);
      this.#isSkipping = true;
      this.skipped++;
    }
  }
}

const PIECE = 1_048_576;
const LONGEST_LINE = 262_144; // characters; the longest that is written has a tenth
const SHORTEST_LINE = 40; // an object with a time
const LINE_END = 0x0a;
const FILES = 100;
