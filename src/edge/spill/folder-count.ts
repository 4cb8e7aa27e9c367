import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../../base/errors.js';
import { isObject, parseJson } from '../../base/json.js';
import { shellWord } from '../../base/shell-word.js';
import { errorCodeOf, toWriteError } from '../files/write-error.js';

/** How much a folder holds, as far as it was counted. */
export interface FolderTotal {
  /** Units in the folder: never fewer than there are, more where files were removed since. */
  readonly units: number;
  /** When the files were counted, in ms since 1970. */
  readonly at: number;
}

/**
 * A running count that all processes share which write into a folder, in one file: a head that says what was found when
 * the files were last counted, and then a byte for each unit that a process was about to write since. Appending is one
 * system call that no other process can come between, so no lock is needed: the second of two writers sees both.
 */
export class FolderCount {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = join(folder, COUNT_NAME);
  }

  /** Adds units that are about to be written, and returns the new total; undefined when nobody has counted yet. */
  add(units: number): FolderTotal | undefined {
    return this.#with((file) => {
      append(file, Buffer.alloc(units, MARK));
      return totalOf(file);
    });
  }

  /** Begins a count of the files: what is added from now on is not part of it. Returns the place in the file. */
  begin(): number {
    return this.#with((file) => {
      const { size } = fstatSync(file);
      if (size >= HEAD_BYTES) return size;
      append(file, Buffer.alloc(HEAD_BYTES, BLANK));
      return fstatSync(file).size;
    });
  }

  /** Makes known what a count has found that began at this place. */
  publish({ units, at }: FolderTotal, from: number): void {
    this.#with((file) => {
      const { size } = fstatSync(file);
      if (size <= LONGEST) return writeHead(file, { units, from, at });
      // Another process may append between these two lines, which is what the allowance is for.
      ftruncateSync(file, HEAD_BYTES);
      return writeHead(file, { units: units + size - from + ALLOWANCE, from: HEAD_BYTES, at });
    }, constants.O_RDWR);
  }

  #with<T>(work: (file: number) => T, flags = constants.O_RDWR | constants.O_APPEND): T {
    try {
      const file = openCount(this.#path, flags | constants.O_CREAT);
      try {
        return work(file);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      throw toWriteError(this.#path, error);
    }
  }
}

export const COUNT_NAME = '.count';

interface Head extends FolderTotal {
  /** The size of the file when the count began. */
  readonly from: number;
}

/** A link, a pipe or a device in its place is removed: what it leads to is not ours. */
function openCount(path: string, flags: number): number {
  for (let isSecond = false; ; isSecond = true) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.isFile()) {
      try {
        return openSync(path, flags | NO_FOLLOW, 0o600);
      } catch (error) {
        if (isSecond || errorCodeOf(error) !== 'ELOOP') throw error;
      }
    }
    if (found?.isDirectory() === true || isSecond) {
      throw new HostError('write-failed', `Results are not saved: ${path} is in the way and is no file`, {
        hint: `Move it away: mv ${shellWord(path)} ${shellWord(`${path}.old`)}`,
      });
    }
    unlinkSync(path);
  }
}

function append(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) {
    const written = writeSync(file, bytes, at);
    if (written === 0) throw Object.assign(new Error('nothing was written'), { code: 'EIO' });
    at += written;
  }
}

function writeHead(file: number, head: Head): void {
  const bytes = Buffer.alloc(HEAD_BYTES, BLANK);
  bytes.write(JSON.stringify(head));
  writeSync(file, bytes, 0, HEAD_BYTES, 0);
}

/** Undefined for a head that nobody has written, or that is broken: then the files are counted. */
function totalOf(file: number): FolderTotal | undefined {
  const bytes = Buffer.alloc(HEAD_BYTES);
  const read = readSync(file, bytes, 0, HEAD_BYTES, 0);
  const head = read === HEAD_BYTES ? parseJson(bytes.toString('latin1')) : undefined;
  if (!isObject(head)) return undefined;
  const { units, from, at } = head;
  if (!isCount(units) || !isCount(from) || typeof at !== 'number') return undefined;
  const { size } = fstatSync(file);
  return from < HEAD_BYTES || from > size ? undefined : { units: units + size - from, at };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

const HEAD_BYTES = 96;
const MARK = 0x2b; // a plus sign
const BLANK = 0x20;
const LONGEST = 4_194_304; // bytes of the file; 16 GB were written since it was last cut
const ALLOWANCE = 256; // units; more than one process appends between two system calls of another
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
