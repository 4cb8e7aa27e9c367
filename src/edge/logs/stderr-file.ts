import { type FileHandle, rename, stat } from 'node:fs/promises';
import type { HostError } from '../../base/errors.js';
import { pause } from '../../base/pause.js';
import type { Clock } from '../../model/clock.js';
import { openToAppend } from './append-file.js';
import { errorCodeOf, toWriteError } from '../files/write-error.js';
import { writeAll, WriteQueue } from './write-queue.js';

export interface StderrFileOptions {
  readonly clock: Clock;
  /** Limit for the file and `path.1` together; 64 MB by default. */
  readonly bytes?: number;
  /** Bytes that may wait for a disk that is slower than the server; 4 MB by default. */
  readonly queuedBytes?: number;
}

/**
 * Appends a server's stderr to a file: the newest part in `path`, the part before in `path.1`; older parts are dropped.
 * Several processes may append to one file. A failed write is kept in `problem` and harms nothing else.
 */
export class StderrFile implements AsyncDisposable {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #half: number;
  readonly #queuedBytes: number;
  readonly #queue = new WriteQueue((blocks) => this.#write(blocks));
  #file: FileHandle | undefined;
  #leftOut = 0;
  #closing: Promise<void> | undefined;

  constructor(path: string, { clock, bytes = FILE_BYTES, queuedBytes = QUEUED_BYTES }: StderrFileOptions) {
    this.#path = path;
    this.#clock = clock;
    this.#half = Math.floor(bytes / 2);
    this.#queuedBytes = queuedBytes;
  }

  /** Why writing has stopped; undefined while it works. */
  get problem(): HostError | undefined {
    const failure = this.#queue.failure;
    return failure && toWriteError(this.#path, failure.error);
  }

  push(chunk: Uint8Array): void {
    if (this.#closing) return;
    if (this.#queue.queued + chunk.length > this.#queuedBytes) {
      this.#leftOut += chunk.length;
      return;
    }
    this.#markGap();
    this.#queue.push(chunk);
  }

  /** Resolves when everything is written, or writing has failed. */
  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#markGap();
    await this.#queue.flushed();
    await this.#file?.close().catch(() => {}); // `problem` reports a loss
  }

  #markGap(): void {
    if (this.#leftOut === 0) return;
    const gap = `\n[${this.#leftOut} bytes left out: the disk was slower than the server]\n`;
    this.#leftOut = 0;
    this.#queue.push(Buffer.from(gap));
  }

  async #write(blocks: readonly Uint8Array[]): Promise<void> {
    const size = blocks.reduce((sum, { length }) => sum + length, 0);
    // Servers write line by line: a wait of 5 ms joins many lines into one write.
    if (size < SMALL_BYTES && !this.#closing) await this.#pause();
    this.#file ??= await openToAppend(this.#path);
    const before = await this.#file.stat(); // asked each time, because another process may write to the file too
    if (before.size > 0 && before.size + size > this.#half) {
      const full = this.#file;
      this.#file = undefined;
      await full.close(); // first, because Windows does not rename an open file
      await rotate(this.#path, before.ino);
      this.#file = await openToAppend(this.#path);
    }
    await writeAll(this.#file, blocks);
  }

  async #pause(): Promise<void> {
    // Closing waits for this pause: a process that waits for nothing else must not exit meanwhile.
    using _ = this.#clock.hold();
    await pause(GATHER_MS, { clock: this.#clock });
  }
}

const SMALL_BYTES = 16_384;
const GATHER_MS = 5;
const FILE_BYTES = 67_108_864; // 64 MB per server
const QUEUED_BYTES = 4_194_304; // one turn of the event loop can bring 2 MB from one pipe

/** Renames the full file, unless another process was faster. */
async function rotate(path: string, inode: number): Promise<void> {
  try {
    if ((await stat(path)).ino === inode) await rename(path, `${path}.1`);
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') throw error;
  }
}
