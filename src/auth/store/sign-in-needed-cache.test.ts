import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { signInNeededCache } from './sign-in-needed-cache.js';

let folder = '';
beforeEach(() => (folder = join(mkdtempSync(join(tmpdir(), 'sign-ins-')), 'sign-ins')));
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

const MINUTE = 60_000;

test('that a server wants a sign-in is known to the next start, with what it said', async () => {
  expect(signInNeededCache(folder)('abc').get()).toBeUndefined();
  await signInNeededCache(folder)('abc').set('Bearer scope="a"');
  await signInNeededCache(folder)('bare').set();
  expect(signInNeededCache(folder)('abc').get()).toEqual({ challenge: 'Bearer scope="a"' });
  expect(signInNeededCache(folder)('bare').get()).toEqual({});
  expect(signInNeededCache(folder)('other').get()).toBeUndefined();
  expect(statSync(join(folder, 'abc.json')).mode & 0o077).toBe(0);
});

test('it is forgotten after a quarter of an hour, and by a clock that was put back', async () => {
  await signInNeededCache(folder, () => 100 * MINUTE)('abc').set('x');
  expect(signInNeededCache(folder, () => 100 * MINUTE)('abc').get()).toEqual({ challenge: 'x' });
  expect(signInNeededCache(folder, () => 115 * MINUTE - 1)('abc').get()).toEqual({ challenge: 'x' });
  expect(signInNeededCache(folder, () => 115 * MINUTE)('abc').get()).toBeUndefined();
  expect(signInNeededCache(folder, () => 99 * MINUTE)('abc').get()).toBeUndefined();
});

test('after a sign-in nobody remembers that one was wanted', async () => {
  const entry = signInNeededCache(folder)('abc');
  await entry.delete(); // nothing to delete yet
  await entry.set('x');
  await signInNeededCache(folder)('abc').delete();
  expect(entry.get()).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

test('the longest challenge that is kept comes back, whatever is in it; a longer one is left out', async () => {
  const entry = signInNeededCache(folder)('abc');
  const longest = '\u0001'.repeat(4_000);
  await entry.set(longest);
  expect(entry.get()).toEqual({ challenge: longest });
  await entry.set(`${longest}x`);
  expect(entry.get()).toEqual({});
});

test.each(['', '{', 'null', '{"at":"now"}', '{"challenge":"x"}', `{"at":1${' '.repeat(40_000)}}`])(
  'a file that holds %.20j is as good as none, and is replaced',
  async (text) => {
    await signInNeededCache(folder)('other').set();
    writeFileSync(join(folder, 'abc.json'), text);
    const entry = signInNeededCache(folder)('abc');
    expect(entry.get()).toBeUndefined();
    await entry.set('y');
    expect(entry.get()).toEqual({ challenge: 'y' });
  },
);

test('fifty that keep and forget at once leave a whole note or none', async () => {
  const entries = Array.from({ length: 50 }, () => signInNeededCache(folder)('abc'));
  await Promise.all(entries.map((entry, at) => (at % 5 === 4 ? entry.delete() : entry.set(`c${at}`))));
  const { challenge = 'c0' } = signInNeededCache(folder)('abc').get() ?? {};
  expect(challenge).toMatch(/^c\d+$/u);
  expect(readdirSync(folder).filter((name) => name !== 'abc.json')).toEqual([]);
});

test('a folder that cannot be made costs nobody anything', async () => {
  writeFileSync(folder, 'a file');
  const entry = signInNeededCache(folder)('abc');
  await entry.set('x');
  await entry.delete();
  expect(entry.get()).toBeUndefined();
});
