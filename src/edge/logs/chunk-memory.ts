import type { MessagePort } from 'node:worker_threads';

/**
 * Frees the memory of a chunk at once, by transferring it to a closed port. A stream reads each chunk into memory of
 * its own, and a flood of chunks grows the process by 30 MB and more, for good, before garbage is collected.
 */
export class ChunkMemory {
  #nowhere: MessagePort | undefined;

  /** Only for the sole reader of a stream's chunk that has copied what it needs: the chunk is empty afterwards. */
  free(chunk: Uint8Array): void {
    const { buffer } = chunk;
    // A view shares its buffer with others, and a small chunk is not worth the effort.
    if (chunk.length < WORTHWHILE_BYTES || buffer.byteLength !== chunk.length) return;
    if (!(buffer instanceof ArrayBuffer)) return;
    this.#nowhere ??= openNowhere();
    try {
      this.#nowhere.postMessage(undefined, [buffer]);
    } catch {
      // A buffer that cannot be transferred is left to the garbage collector.
    }
  }
}

const WORTHWHILE_BYTES = 1024;

function openNowhere(): MessagePort {
  // Loaded with the first large chunk, because it takes 4 ms.
  const { MessageChannel } = process.getBuiltinModule('node:worker_threads');
  const { port1 } = new MessageChannel();
  port1.close();
  return port1;
}
