import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWalk, textOf } from './walk-scene.js';

// The bound on saved results (settings.results), through the public door.

const MB = 1_048_576;

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

test('saved results of several hosts stay within what the user allows, and a deleted one is said to be', async () => {
  await using scene = openWalk();
  scene.configure({ desk: scene.walking(['large', 'huge']) }, { results: { mb: 3 } });
  const folder = join(scene.home, '.local/state/plugboard/results');
  const hosts = [await scene.settle(), await scene.settle()];
  const paths: string[] = [];
  for (let round = 0; round < 10; round++) {
    const { saved, notes } = await hosts[round % 2]!.call({ name: 'mcp__desk__large' });
    expect(notes.join()).not.toContain('could not be saved');
    paths.push(saved[0]!.path);
    expect(bytesIn(folder)).toBeLessThanOrEqual(3 * MB);
  }
  const [host] = hosts;
  const first = await host!.call({ name: 'Read', input: { path: paths[0], limit: 1 } });
  expect(first).toMatchObject({ outcome: 'error', error: { hint: expect.stringContaining('Make the call again') } });
  expect(textOf(first)).toMatch(/was deleted: saved results are kept for 7 days, and 3 MB of them together/u);
  const last = await host!.call({ name: 'Read', input: { path: paths.at(-1), limit: 1 } });
  expect(textOf(last)).toContain('line 0 of a long report');
  const huge = await host!.call({ name: 'mcp__desk__huge' }); // goes to a file as it comes
  expect(textOf(huge)).toMatch(/larger than the 3 MB of all saved results/u);
  expect(bytesIn(folder)).toBeLessThanOrEqual(3 * MB);
  await Promise.all(hosts.map((one) => one[Symbol.asyncDispose]()));
  expect(readdirSync(folder).filter((name) => name.startsWith('live-') || name.endsWith('.part'))).toEqual([]);
});
