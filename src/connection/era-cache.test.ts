import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eraCache } from './era-cache.js';

let folder = '';
beforeEach(() => (folder = join(mkdtempSync(join(tmpdir(), 'eras-')), 'eras')));
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

const legacy = { era: 'legacy', isFallback: false } as const;

test('a verdict is there for the next run, for this user alone', async () => {
  expect(eraCache(folder)('abc').get()).toBeUndefined();
  await eraCache(folder)('abc').set({ era: 'legacy', isFallback: true });
  expect(eraCache(folder)('abc').get()).toEqual({ era: 'legacy', isFallback: true });
  expect(eraCache(folder)('other').get()).toBeUndefined();
  expect(statSync(join(folder, 'abc.json')).mode & 0o077).toBe(0);
});

test('a verdict ends after a week, and one from the future counts for nothing', async () => {
  const day = 86_400_000;
  await eraCache(folder, () => 10 * day)('abc').set(legacy);
  expect(eraCache(folder, () => 16 * day)('abc').get()).toEqual(legacy);
  expect(eraCache(folder, () => 17 * day)('abc').get()).toBeUndefined();
  expect(eraCache(folder, () => 9 * day)('abc').get()).toBeUndefined();
});

test.each(['', '{', '[]', 'null', '{"era":"stone"}', `{"era":"legacy","at":1${' '.repeat(2_000)}}`])(
  'a file that holds %j is as good as none, and is replaced',
  async (text) => {
    await eraCache(folder)('other').set(legacy);
    writeFileSync(join(folder, 'abc.json'), text);
    const entry = eraCache(folder)('abc');
    expect(entry.get()).toBeUndefined();
    await entry.set(legacy);
    expect(entry.get()).toEqual(legacy);
  },
);

test('a folder that cannot be written costs nobody anything', async () => {
  writeFileSync(folder, 'a file');
  await eraCache(folder)('abc').set(legacy);
  expect(eraCache(folder)('abc').get()).toBeUndefined();
});

test('what is known already is not written again', async () => {
  const entry = eraCache(folder)('abc');
  await entry.set(legacy);
  rmSync(join(folder, 'abc.json'));
  writeFileSync(join(folder, 'abc.json'), JSON.stringify({ ...legacy, at: Date.now() }));
  const again = eraCache(folder)('abc');
  again.get();
  rmSync(join(folder, 'abc.json'));
  await again.set(legacy);
  expect(readdirSync(folder)).toEqual([]);
});
