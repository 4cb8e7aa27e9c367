import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isServing, startGateway } from '../start-gateway.js';
import { type ClientGroup, playHistory } from './play-history.js';

const LIMIT_MS = 3_600_000; // 100,000 calls take minutes, on a busy machine many
const isFull = process.env['PLUGBOARD_FULL'] !== undefined;
/** A few clients of each group stand for many of the long version. */
const many = (count: number): number => (isFull ? count : Math.ceil(count / 8));

// 64 clients; 32 of them have a process of their own, and four share one.
const groups: readonly ClientGroup[] = [
  { path: '/mcp/old', era: 'legacy', count: many(16), isOwned: true },
  { path: '/mcp/old', era: 'modern', count: many(16), isOwned: true },
  { path: '/mcp/old', era: 'modern', count: many(4), isOwned: false },
  { path: '/mcp/new', era: 'legacy', count: many(14), isOwned: true },
  { path: '/mcp/new', era: 'modern', count: many(14), isOwned: true },
];

test.skipIf(!isServing)(
  'whoever calls gets the own results, and is asked about the own calls only',
  async () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-history-')));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    await using gateway = await startGateway({ home, servers: { old: entry('legacy'), new: entry('modern') } });
    const calls = isFull ? 100_000 : 1_000;
    const history = await playHistory({ origin: gateway.origin, groups, calls, atOnce: 4 });
    // The first of each kind says enough.
    expect({
      ...history,
      crossed: history.crossed.slice(0, 3),
      misplaced: history.misplaced.slice(0, 3),
      refused: history.refused.slice(0, 3),
      failed: history.failed.slice(0, 3),
    }).toEqual({
      calls,
      questions: expect.any(Number),
      crossed: [],
      misplaced: [],
      refused: [],
      failed: [],
      shared: expect.any(Number),
    });
    expect(history.questions).toBeGreaterThan(calls / 4);
  },
  LIMIT_MS,
);

function entry(era: string): object {
  return { type: 'stdio', command: process.execPath, args: [join(import.meta.dirname, 'asking-upstream.mjs'), era] };
}
