import { markAsUntransferable } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { ChunkMemory } from './chunk-memory.js';

function check(chunk: Uint8Array, left: number): void {
  new ChunkMemory().free(chunk);
  expect(chunk.length).toBe(left);
}

test('a chunk with memory of its own is emptied at once', () => check(Buffer.allocUnsafeSlow(65_536), 0));

test('memory that others may be looking at stays', () => {
  check(Buffer.alloc(65_536).subarray(1), 65_535);
  check(Buffer.from('from a pool that all small buffers share'), 40);
  check(new Uint8Array(new SharedArrayBuffer(65_536)), 65_536);
});

test('memory that may not be given away stays, and nothing is thrown', () => {
  const chunk = new Uint8Array(65_536);
  markAsUntransferable(chunk.buffer);
  check(chunk, 65_536);
});
