import { readdirSync, readlinkSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSaved } from '../../src/edge/spill/read-saved.js';
import { attempt } from '../../src/base/attempt.js';
import type { HostError } from '../../src/base/errors.js';
import { Spilled } from '../../src/model/spilled.js';
import { openWalk, textOf } from './walk-scene.js';

// Results as the server sent them that are larger than a host keeps in memory.

const HUGE = 20_000_010; // characters of the answer of the tool `huge`

test('what a raw result has no room for is read in pieces, and says where it belongs', async () => {
  await using scene = openWalk();
  scene.configure({ desk: scene.walking(['huge', 'large']) });
  const host = await scene.settle();
  const raw = await host.call({ name: 'mcp__desk__huge', shape: 'raw', keepServerResult: true });
  expect(raw.saved).toMatchObject([{ bytes: HUGE, mimeType: 'text/plain', at: '/content/0/text' }]);
  expect(textOf(raw)).toContain(`saved to ${raw.saved[0]!.path}`);
  const pieces = await readAll(raw.saved[0]!);
  expect(pieces.toString()).toBe(`beginning ${'x'.repeat(HUGE - 10)}`);
  const [block] = raw.serverResult!.result!['content'] as { readonly text: Spilled }[];
  expect(block!.text).toBeInstanceOf(Spilled);
  expect((await readAll(block!.text)).equals(pieces)).toBe(true);
  const whole = await host.call({ name: 'mcp__desk__large', shape: 'raw' }); // for which memory has room
  expect([whole.saved, textOf(whole).length > 800_000]).toEqual([[], true]);
});

test('a loop that is left closes the file, and a file that was deleted is said to be', async () => {
  await using scene = openWalk();
  scene.configure({ desk: scene.walking(['huge']) });
  const host = await scene.settle();
  const { saved } = await host.call({ name: 'mcp__desk__huge', shape: 'raw' });
  const before = openFiles();
  for await (const piece of readSaved(saved[0]!)) {
    expect(piece.length).toBe(65_536);
    expect(openFiles()).toBe(before + 1);
    break;
  }
  expect(openFiles()).toBe(before);
  const reading = readSaved(saved[0]!);
  await reading.next();
  rmSync(saved[0]!.path); // as the bound does; who reads already reads on
  let rest = 65_536;
  for await (const piece of reading) rest += piece.length;
  expect(rest).toBe(HUGE);
  const error = await readAll(saved[0]!).catch((failure: unknown) => failure as HostError);
  expect(error).toMatchObject({ code: 'bad-input', message: expect.stringContaining('was deleted') });
});

async function readAll(file: Parameters<typeof readSaved>[0]): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of readSaved(file)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** How many saved files are open, by what Linux says. */
function openFiles(): number {
  const open = readdirSync('/proc/self/fd').map((fd) => attempt(() => readlinkSync(`/proc/self/fd/${fd}`), ''));
  return open.filter((path) => path.includes('/results/')).length;
}
