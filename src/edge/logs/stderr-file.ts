import { type FileHandle, rename, stat } from 'node:fs/promises';
import type { HostError } from '../../base/errors.js';
import { pause } from '../../base/pause.js';
import type { Clock } from '../../model/clock.js';
import { openToAppend } from './append-file.js';
import { errorCodeOf, toWriteError } from '../files/write-error.js';
import { writeAll, WriteQueue } from './write-queue.js';

export interface StderrFileOptions {
  readonly clock: Clock;
  /** Of the file and the older half beside it, together. */
  readonly bytes?: number;
  /** What may wait for a disk that is slower than the server. */
  readonly queuedBytes?: number;
}

/**
 * What a server writes to stderr, appended to a file: the newest in `path`, what came before in `path.1`, the oldest
 * dropped. Several processes may append to one file. Whatever goes wrong here is remembered once and harms nobody.
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

  /** Why nothing is written any more. */
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

  /** Resolves when everything is in the file, or will never be. */
  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#markGap();
    await this.#queue.flushed();
    await this.#file?.close().catch(() => {}); // it is told by `problem` when something was lost
  }

  #markGap(): void {
    if (this.#leftOut === 0) return;
    const gap = `\n[${this.#leftOut} bytes left out: the disk was slower than the server]\n`;
    this.#leftOut = 0;
    this.#queue.push(Buffer.from(gap));
  }

  async #write(blocks: readonly Uint8Array[]): Promise<void> {
    const size = blocks.reduce((sum, { length }) => sum + length, 0);
    // Servers write line by line: a moment's wait makes one write of very many.
    if (size < SMALL_BYTES && !this.#closing) await this.#pause();
    this.#file ??= await openToAppend(this.#path);
    const before = await this.#file.stat(); // asked each time, because somebody else may write to it too
    if (before.size > 0 && before.size + size > this.#half) {
      const full = this.#file;
      this.#file = undefined;
      await full.close(); // first, because Windows does not rename what is open
      await rotate(this.#path, before.ino);
      this.#file = await openToAppend(this.#path);
    }
    await writeAll(this.#file, blocks);
  }

  async #pause(): Promise<void> {
    // Whoever closes it waits for this: a program that waits for nothing else must not end meanwhile.
    using _ = this.#clock.hold();
    await pause(GATHER_MS, { clock: this.#clock });
  }
}

const SMALL_BYTES = 16_384;
const GATHER_MS = 5;
const FILE_BYTES = 67_108_864; // 64 MB per server
const QUEUED_BYTES = 4_194_304; // one turn of the event loop can bring 2 MB from one pipe

/** Makes room, unless another process that writes to the same file was faster. */
async function rotate(path: string, inode: number): Promise<void> {
  try {
    if ((await stat(path)).ino === inode) await rename(path, `${path}.1`);
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') throw error;
  }
}
