import type { MessagePort } from 'node:worker_threads';

/**
 * Gives the memory of a chunk back at once. A stream reads each chunk into memory of its own, and a flood of them grows
 * the process by 30 MB and more before the collector looks, for good. What is transferred to a port that is closed is freed.
 */
export class ChunkMemory {
  #nowhere: MessagePort | undefined;

  /** Only for whoever received the chunk from a stream, is its only reader, and has copied what it needs: it is empty afterwards. */
  free(chunk: Uint8Array): void {
    const { buffer } = chunk;
    // A view of something larger shares it with others, and a small one is not worth the effort.
    if (chunk.length < WORTHWHILE_BYTES || buffer.byteLength !== chunk.length) return;
    if (!(buffer instanceof ArrayBuffer)) return;
    this.#nowhere ??= openNowhere();
    try {
      this.#nowhere.postMessage(undefined, [buffer]);
    } catch {
      // Memory that may not be transferred stays for the collector.
    }
  }
}

const WORTHWHILE_BYTES = 1024;

function openNowhere(): MessagePort {
  // Loaded for whoever says that much: it takes 4 ms.
  const { MessageChannel } = process.getBuiltinModule('node:worker_threads');
  const { port1 } = new MessageChannel();
  port1.close();
  return port1;
}
