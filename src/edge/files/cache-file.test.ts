import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeCacheFile } from './cache-file.js';

function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-cache-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('a cache file makes its folder for this user alone, also where it was deleted meanwhile', async () => {
  const folder = join(openFolder(), 'a/b');
  for (const text of ['one', 'two']) {
    await writeCacheFile(join(folder, 'file'), [text, '!']);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe(`${text}!`);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    rmSync(folder, { recursive: true });
  }
});

test('hundreds of hosts that write into a folder which is not there all succeed', async () => {
  const folder = join(openFolder(), 'a/b/c');
  await Promise.all(Array.from({ length: 200 }, (_, at) => writeCacheFile(join(folder, String(at % 50)), [`${at}`])));
  expect(readdirSync(folder)).toHaveLength(50);
});

test('a folder that is there keeps its mode', async () => {
  const folder = openFolder();
  chmodSync(folder, 0o750);
  await writeCacheFile(join(folder, 'file'), ['text']);
  expect(statSync(folder).mode & 0o777).toBe(0o750);
});

test('where no folder can be made nothing is written, and the error says why', async () => {
  const folder = openFolder();
  writeFileSync(join(folder, 'file'), '');
  await expect(writeCacheFile(join(folder, 'file/x'), ['text'])).rejects.toThrow('ENOTDIR');
  mkdirSync(join(folder, 'x'));
  await expect(writeCacheFile(join(folder, 'x'), ['text'])).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/u);
  expect(readdirSync(folder).toSorted()).toEqual(['file', 'x']);
});
