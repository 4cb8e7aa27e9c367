import type { FileHandle } from 'node:fs/promises';
import { Watched } from '../../base/watched.js';
import { ChunkMemory } from './chunk-memory.js';

/**
 * Writes bytes in order, with one write in progress at a time. Copies them into reused blocks, so that memory does not
 * exceed what waits, however many and small the chunks are.
 */
export class WriteQueue {
  #ready: Promise<unknown> | undefined;
  readonly #write: (blocks: readonly Uint8Array[]) => Promise<void>;
  /** Oldest first; all but the last are full. */
  #blocks: Block[] = [];
  #spare: Block[] = [];
  readonly #memory = new ChunkMemory();
  #queued = 0;
  #failure: { readonly error: unknown } | undefined;
  readonly #state = new Watched({ isRunning: false, writes: 0 });

  /**
   * `write` gets at most 1 MB of what waits, and resolves when all of it is written. `ready`: what the first write has to
   * wait for; what is pushed meanwhile is written with it.
   */
  constructor(write: (blocks: readonly Uint8Array[]) => Promise<void>, ready?: Promise<unknown>) {
    this.#write = write;
    this.#ready = ready;
  }

  /** Bytes that are not written yet. */
  get queued(): number {
    return this.#queued;
  }

  /** Set when a write has failed, or by `stop`: later bytes are dropped. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  push(bytes: Uint8Array): void {
    if (this.#failure) return;
    for (let offset = 0; offset < bytes.length;) {
      const block = this.#openBlock();
      const size = Math.min(bytes.length - offset, BLOCK_BYTES - block.filled);
      // Creating a view costs more than copying a few bytes.
      block.bytes.set(size === bytes.length ? bytes : bytes.subarray(offset, offset + size), block.filled);
      block.filled += size;
      offset += size;
    }
    this.#queued += bytes.length;
    if (!this.#state.value.isRunning && this.#queued > 0) void this.#run();
  }

  /** Resolves when all is written, or after a failure or `stop`. Never rejects. */
  async flushed(): Promise<void> {
    await this.#state.until(({ isRunning }) => !isRunning);
  }

  /** Resolves after the write in progress. Never rejects. */
  async progress(): Promise<void> {
    const before = this.#state.value.writes;
    await this.#state.until(({ isRunning, writes }) => !isRunning || writes > before);
  }

  /** Frees the spare blocks. */
  release(): void {
    for (const { bytes } of this.#spare.splice(0)) this.#memory.free(bytes);
  }

  /** Drops what waits, and all later bytes. */
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
    if (this.#ready) await this.#ready.catch(() => {}); // the write will say so
    this.#ready = undefined;
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
    // Stopped before the first write.
    if (this.#state.value.isRunning) this.#state.set({ isRunning: false, writes });
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

/** Writes all blocks: one `writev` may write less than it is given, and reports that only in `bytesWritten`. */
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

const BLOCK_BYTES = 65_536; // the most that one read from a pipe returns
const SPARE_BLOCKS = 4; // enough for a steady stream of small chunks, little for an idle queue
const BLOCKS_AT_ONCE = 16; // 1 MB: few system calls, and no long ones
