import { closeSync, fstatSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { type FileHandle, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { APPEND_FLAGS, openToAppend } from './append-file.js';
import { withLock } from '../files/lock.js';
import { errorCodeOf } from '../files/write-error.js';

export interface RollingFileOptions {
  /** Of one file; then the next is begun. */
  readonly bytes: number;
  /** How many older ones are kept: `path.1`, the newest of them, to `path.<keep>`. */
  readonly keep: number;
}

/**
 * Lines at the end of a file that several processes may append to, each piece in one write, so that no line is torn by another's. A full
 * file is put aside under a lock, and whoever still has it open notices before the next write.
 */
export class RollingFile implements AsyncDisposable {
  readonly #path: string;
  readonly #bytes: number;
  readonly #keep: number;
  #file: { readonly handle: FileHandle; readonly inode: number } | undefined;
  /** The last write stopped in the middle of a line. */
  #isTorn = false;

  constructor(path: string, { bytes, keep }: RollingFileOptions) {
    this.#path = path;
    this.#bytes = bytes;
    this.#keep = keep;
  }

  /**
   * Appends whole lines. Rejects when not all could be written, with how much of them is in the file; a line that was cut there is
   * not counted, and is to be written again. One call at a time.
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

  /** For the last moment of a process, when nothing asynchronous runs any more. Throws. */
  appendNow(lines: Buffer): void {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 }); // nobody may have written a line before
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
    await file?.handle.close().catch(() => {}); // what could not be written was told by `append`
  }

  /** How much of it is in the file now, in whole lines. The system may take less at a time, and says so only in a number. */
  async #write(file: FileHandle, lines: Buffer): Promise<number> {
    // Whatever stands behind a line that was cut begins on a line of its own.
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

  /** Unless another process was faster. */
  async #roll(): Promise<void> {
    const full = this.#file?.inode;
    await this[Symbol.asyncDispose](); // first, because Windows does not rename what is open
    await withLock(
      this.#path,
      async () => {
        if ((await inodeOf(this.#path)) !== full) return;
        for (let number = this.#keep; number > 0; number--) {
          const newer = number === 1 ? this.#path : `${this.#path}.${number - 1}`;
          await rename(newer, `${this.#path}.${number}`).catch((error: unknown) => {
            if (errorCodeOf(error) !== 'ENOENT') throw error; // there are not that many yet
          });
        }
      },
      { timeoutMs: LOCK_MS },
    );
  }
}

/** Not everything is in the file. */
export class PartialWrite extends Error {
  override readonly name = 'PartialWrite';
  /** In whole lines. */
  readonly written: number;

  constructor(written: number, cause: unknown) {
    super('not everything could be written', { cause });
    this.written = written;
  }
}

const LINE_END = Buffer.from('\n');
const IDLE_LIMIT = 3; // a disk that takes a few bytes and no line
const LOCK_MS = 2000; // renaming takes a millisecond

async function inodeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).ino;
  } catch {
    return undefined; // opening it says why
  }
}
