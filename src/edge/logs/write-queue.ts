import type { FileHandle } from 'node:fs/promises';
import { Watched } from '../../base/watched.js';
import { ChunkMemory } from './chunk-memory.js';

/**
 * Bytes on their way to the disk, in order, one write under way at a time. They are copied into blocks that are used
 * again, so that the memory is what waits and no more, however many and however small the pieces are.
 */
export class WriteQueue {
  readonly #write: (blocks: readonly Uint8Array[]) => Promise<void>;
  /** Oldest first; all but the last are full. */
  #blocks: Block[] = [];
  #spare: Block[] = [];
  readonly #memory = new ChunkMemory();
  #queued = 0;
  #failure: { readonly error: unknown } | undefined;
  readonly #state = new Watched({ isRunning: false, writes: 0 });

  /** `write` gets what waited, at most 1 MB, and resolves when all of it is on its way. */
  constructor(write: (blocks: readonly Uint8Array[]) => Promise<void>) {
    this.#write = write;
  }

  /** Bytes that are not written yet. */
  get queued(): number {
    return this.#queued;
  }

  /** Set once a write has failed: nothing is taken after it. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  push(bytes: Uint8Array): void {
    if (this.#failure) return;
    for (let offset = 0; offset < bytes.length;) {
      const block = this.#openBlock();
      const size = Math.min(bytes.length - offset, BLOCK_BYTES - block.filled);
      // A view costs more than the copy of a few bytes.
      block.bytes.set(size === bytes.length ? bytes : bytes.subarray(offset, offset + size), block.filled);
      block.filled += size;
      offset += size;
    }
    this.#queued += bytes.length;
    if (!this.#state.value.isRunning && this.#queued > 0) void this.#run();
  }

  /** Resolves, and never rejects, once all is written, or writing has ended by a failure or by `stop`. */
  async flushed(): Promise<void> {
    await this.#state.until(({ isRunning }) => !isRunning);
  }

  /** Resolves, and never rejects, after the write that is under way. */
  async progress(): Promise<void> {
    const before = this.#state.value.writes;
    await this.#state.until(({ isRunning, writes }) => !isRunning || writes > before);
  }

  /** Gives back the memory that it keeps for more. */
  release(): void {
    for (const { bytes } of this.#spare.splice(0)) this.#memory.free(bytes);
  }

  /** Forgets what waits and takes nothing more. */
  stop(error: unknown): void {
    this.#failure ??= { error };
    this.#blocks = [];
    this.#spare = [];
    this.#queued = 0;
  }

  #openBlock(): Block {
    const last = this.#blocks.at(-1);
    if (last && last.filled < BLOCK_BYTES) return last;
    const block = this.#spare.pop() ?? { bytes: Buffer.allocUnsafeSlow(BLOCK_BYTES), filled: 0 };
    this.#blocks.push(block);
    return block;
  }

  async #run(): Promise<void> {
    let { writes } = this.#state.value;
    this.#state.set({ isRunning: true, writes });
    while (this.#blocks.length > 0) {
      const blocks = this.#blocks.splice(0, BLOCKS_AT_ONCE);
      try {
        await this.#write(blocks.map(({ bytes, filled }) => bytes.subarray(0, filled)));
      } catch (error) {
        this.stop(error);
      }
      if (!this.#failure) this.#recycle(blocks);
      this.#state.set({ isRunning: this.#blocks.length > 0, writes: ++writes });
    }
    for (const { bytes } of this.#spare.splice(SPARE_BLOCKS)) this.#memory.free(bytes);
  }

  #recycle(blocks: readonly Block[]): void {
    for (const block of blocks) {
      this.#queued -= block.filled;
      block.filled = 0;
    }
    this.#spare.push(...blocks);
  }
}

/** Writes all of it: the system may take less at a time, and says so only in a number. */
export async function writeAll(file: Pick<FileHandle, 'writev'>, blocks: readonly Uint8Array[]): Promise<void> {
  let rest = blocks.filter(({ length }) => length > 0);
  while (rest.length > 0) {
    let { bytesWritten } = await file.writev(rest);
    if (bytesWritten === 0) throw Object.assign(new Error('nothing was written'), { code: 'EIO' });
    let whole = 0;
    while (whole < rest.length && bytesWritten >= rest[whole]!.length) bytesWritten -= rest[whole++]!.length;
    rest = rest.slice(whole);
    if (bytesWritten > 0) rest[0] = rest[0]!.subarray(bytesWritten);
  }
}

interface Block {
  readonly bytes: Buffer;
  filled: number;
}

const BLOCK_BYTES = 65_536; // what one read from a pipe gives at most
const SPARE_BLOCKS = 4; // enough for a steady stream of small pieces, little for a queue that rests
const BLOCKS_AT_ONCE = 16; // 1 MB: few calls into the system, and no long ones
