import { closeSync, fstatSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { type FileHandle, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { APPEND_FLAGS, openToAppend } from './append-file.js';
import { withLock } from '../files/lock.js';
import { errorCodeOf } from '../files/write-error.js';

export interface RollingFileOptions {
  /** Bytes of one file; then a new file is started. */
  readonly bytes: number;
  /** How many older files are kept: `path.1`, the newest of them, to `path.<keep>`. */
  readonly keep: number;
}

/**
 * Appends lines to a file that several processes may write to, each batch in one write, so that no process tears
 * another's line. A full file is renamed under a lock; a process that still has it open notices before its next write.
 */
export class RollingFile implements AsyncDisposable {
  readonly #path: string;
  readonly #bytes: number;
  readonly #keep: number;
  #file: { readonly handle: FileHandle; readonly inode: number } | undefined;
  /** The last write ended in the middle of a line. */
  #isTorn = false;

  constructor(path: string, { bytes, keep }: RollingFileOptions) {
    this.#path = path;
    this.#bytes = bytes;
    this.#keep = keep;
  }

  /**
   * Appends whole lines; one call at a time. Rejects with a `PartialWrite` when not all could be written: a line that
   * was cut is not counted as written, and must be written again.
   */
  async append(lines: Buffer): Promise<void> {
    let written = 0;
    try {
      let file = await this.#current();
      const { size } = await file.stat();
      if (size > 0 && size + lines.length > this.#bytes) {
        await this.#roll();
        file = await this.#current();
      }
      for (let idle = 0; written < lines.length && idle < IDLE_LIMIT; idle++) {
        const more = await this.#write(file, lines.subarray(written));
        if (more > 0) idle = 0;
        written += more;
      }
      if (written < lines.length) throw Object.assign(new Error('no line could be written'), { code: 'EIO' });
    } catch (cause) {
      throw new PartialWrite(written, cause);
    }
  }

  /** For the exit of a process, when nothing asynchronous runs any more. Throws. */
  appendNow(lines: Buffer): void {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 }); // these may be the first lines ever
    const descriptor = openSync(this.#path, APPEND_FLAGS, 0o600);
    try {
      if (fstatSync(descriptor).isFile()) writeSync(descriptor, lines);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Idempotent, never rejects. */
  async [Symbol.asyncDispose](): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.handle.close().catch(() => {}); // `append` has reported what could not be written
  }

  /** Returns how many bytes are in the file now, in whole lines. The system may write less than it is given. */
  async #write(file: FileHandle, lines: Buffer): Promise<number> {
    // After a line that was cut, the next one begins on a line of its own.
    const start = this.#isTorn ? 1 : 0;
    const piece = start === 0 ? lines : Buffer.concat([LINE_END, lines]);
    const { bytesWritten } = await file.write(piece);
    const end =
      bytesWritten === piece.length ? bytesWritten : piece.subarray(0, bytesWritten).lastIndexOf(LINE_END) + 1;
    this.#isTorn = end < bytesWritten;
    return Math.max(end - start, 0);
  }

  async #current(): Promise<FileHandle> {
    const inode = await inodeOf(this.#path);
    if (this.#file && this.#file.inode === inode) return this.#file.handle;
    await this[Symbol.asyncDispose]();
    const handle = await openToAppend(this.#path);
    this.#file = { handle, inode: (await handle.stat()).ino };
    return handle;
  }

  /** Renames the files, unless another process was faster. */
  async #roll(): Promise<void> {
    const full = this.#file?.inode;
    await this[Symbol.asyncDispose](); // first, because Windows does not rename an open file
    await withLock(
      this.#path,
      async () => {
        if ((await inodeOf(this.#path)) !== full) return;
        for (let number = this.#keep; number > 0; number--) {
          const newer = number === 1 ? this.#path : `${this.#path}.${number - 1}`;
          await rename(newer, `${this.#path}.${number}`).catch((error: unknown) => {
            if (errorCodeOf(error) !== 'ENOENT') throw error; // there are not that many files yet
          });
        }
      },
      { timeoutMs: LOCK_MS },
    );
  }
}

export class PartialWrite extends Error {
  override readonly name = 'PartialWrite';
  /** Bytes in the file, in whole lines. */
  readonly written: number;

  constructor(written: number, cause: unknown) {
    super('not everything could be written', { cause });
    this.written = written;
  }
}

const LINE_END = Buffer.from('\n');
const IDLE_LIMIT = 3; // for a disk that takes a few bytes but no whole line
const LOCK_MS = 2000; // ms; renaming takes one

async function inodeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).ino;
  } catch {
    return undefined; // opening the file reports why
  }
}
