import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeAll, WriteQueue } from './write-queue.js';

let folder: string;
let file: FileHandle;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plugboard-queue-'));
  file = await open(join(folder, 'file'), 'w');
});
afterEach(async () => {
  await file.close();
  rmSync(folder, { recursive: true, force: true });
});

const written = (): Buffer => readFileSync(join(folder, 'file'));

test.each([
  ['tiny', 3, 20_000],
  ['as large as a block', 65_536, 40],
  ['just beyond a block', 65_537, 40],
  ['large', 3_000_000, 3],
])('pieces that are %s arrive whole and in order', async (_title, size, count) => {
  const queue = new WriteQueue((blocks) => writeAll(file, blocks));
  const pieces = Array.from({ length: count }, (_, index) => Buffer.alloc(size, `${index} `));
  for (const [index, piece] of pieces.entries()) {
    queue.push(Buffer.from(piece));
    if (index % 7 === 0) await new Promise(setImmediate);
  }
  await queue.flushed();
  expect(written().equals(Buffer.concat(pieces))).toBe(true);
  expect({ queued: queue.queued, failure: queue.failure }).toEqual({ queued: 0, failure: undefined });
});

test('what is pushed may be changed at once', async () => {
  const queue = new WriteQueue((blocks) => writeAll(file, blocks));
  const piece = Buffer.from('hello');
  queue.push(piece);
  piece.fill('x');
  await queue.flushed();
  expect(written().toString()).toBe('hello');
});

test('a system that takes only some of it at a time gets the rest after', async () => {
  for (const most of [1, 2, 3, 5, 8]) {
    const taken: Buffer[] = [];
    const writev = (async (blocks: readonly Uint8Array[]) => {
      const bytes = Buffer.concat(blocks).subarray(0, most);
      taken.push(bytes);
      return { bytesWritten: bytes.length };
    }) as unknown as FileHandle['writev'];
    await writeAll(
      { writev },
      ['ab', '', 'cde', 'f'].map((text) => Buffer.from(text)),
    );
    expect(Buffer.concat(taken).toString()).toBe('abcdef');
  }
});

test('after a failure nothing is taken, nothing waits, and the first reason is kept', async () => {
  let writes = 0;
  const queue = new WriteQueue(() => Promise.reject(new Error(`failure ${++writes}`)));
  queue.push(Buffer.alloc(3_000_000));
  await queue.flushed();
  queue.push(Buffer.alloc(10));
  queue.stop(new Error('stopped'));
  await Promise.all([queue.flushed(), queue.progress()]);
  expect({ queued: queue.queued, failure: queue.failure }).toEqual({
    queued: 0,
    failure: { error: new Error('failure 1') },
  });
  expect(writes).toBe(1);
});

test('who stops the queue waits only for the write that is under way', async () => {
  const queue = new WriteQueue((blocks) => writeAll(file, blocks));
  queue.push(Buffer.alloc(5_000_000, 'x'));
  queue.stop(new Error('stopped'));
  await queue.flushed();
  expect(written().length).toBe(1_048_576);
});
