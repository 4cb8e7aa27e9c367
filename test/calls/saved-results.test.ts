import { execFile } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openWalk, textOf } from './walk-scene.js';

// The bound on saved results (settings.results), through the public door.

const MB = 1_048_576;
const CALLS = process.env['PLUGBOARD_FULL'] ? 2_000 : 150; // of 780 KB each

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
  expect(huge.error).toMatchObject({
    code: 'answer-too-large',
    hint: expect.stringMatching(/^Raise "mb" of "results"/u),
  });
  expect(bytesIn(folder)).toBeLessThanOrEqual(3 * MB);
  await Promise.all(hosts.map((one) => one[Symbol.asyncDispose]()));
  expect(readdirSync(folder).filter((name) => name.startsWith('live-') || name.endsWith('.part'))).toEqual([]);
});

test('many large results through one host make neither its memory nor the folder grow', async () => {
  await using scene = openWalk();
  scene.configure({ desk: scene.walking(['large']) }, { results: { mb: 8 } });
  const folder = join(scene.home, '.local/state/plugboard/results');
  const options = { cwd: scene.project, env: scene.env, managedDirectories: [], permissions: { mode: 'bypass' } };
  const program = join(scene.home, 'program.mjs');
  const library = resolve(import.meta.dirname, '../../dist/lib/index.js');
  writeFileSync(
    program,
    `import { readdirSync, statSync } from 'node:fs';
    import { Host } from ${JSON.stringify(library)};
    const host = await Host.open(${JSON.stringify({ ...options, watch: false })});
    await host.settled();
    let inFolder = 0;
    let saved = 0;
    const call = async (times) => {
      for (let turn = 0; turn < times; turn++) {
        saved += (await host.call({ name: 'mcp__desk__large' })).saved[0].bytes;
        const sizes = readdirSync(${JSON.stringify(folder)}).map((name) => statSync(${JSON.stringify(folder)} + '/' + name).size);
        inFolder = Math.max(inFolder, sizes.reduce((sum, size) => sum + size, 0));
      }
      let least = Infinity; // what is still on its way is no growth
      for (let look = 0; look < 20; look++) {
        await new Promise((resolve) => setImmediate(resolve));
        globalThis.gc();
        const { heapUsed, external } = process.memoryUsage();
        least = Math.min(least, heapUsed + external);
      }
      return least;
    };
    const before = await call(40);
    const growth = (await call(${CALLS})) - before;
    await host.close();
    const left = readdirSync(${JSON.stringify(folder)}).filter((name) => name.startsWith('live-') || name.endsWith('.part'));
    console.log(JSON.stringify({ growth, inFolder, saved, left }));`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program]);
  const { growth, inFolder, saved, left } = JSON.parse(stdout) as Record<'growth' | 'inFolder' | 'saved', number> & {
    readonly left: readonly string[];
  };
  expect(saved).toBeGreaterThan(12 * 8 * MB); // many times what the folder may hold
  expect(inFolder).toBeLessThanOrEqual(8 * MB);
  expect(growth).toBeLessThan(4 * MB);
  expect(left).toEqual([]);
}, 120_000);
