import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readSaved, type SavedPlace } from './read-saved.js';

test.each<[string, (path: string) => void, RegExp]>([
  ['a pipe', (path) => expect(spawnSync('mkfifo', [path]).status).toBe(0), /is not a regular file/u],
  ['a folder', (path) => mkdirSync(path), /is not a regular file/u],
  ['a link', (path) => symlinkSync('/etc/passwd', path), /cannot be read \(ELOOP\)/u],
])('%s in the place of a saved result is refused at once', async (_, plant, message) => {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-saved-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'result-0123456789abcdef');
  plant(path);
  await expect(readSaved({ path }).next()).rejects.toMatchObject({ code: 'bad-input', message });
});

test('a file is read in pieces', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-saved-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'result-0123456789abcdef');
  writeFileSync(path, Buffer.alloc(100_000, 7));
  const sizes: number[] = [];
  for await (const piece of readSaved({ path })) sizes.push(piece.length);
  expect(sizes).toEqual([65_536, 34_464]);
});

test.each<[unknown, string]>([
  [undefined, 'undefined'],
  [null, 'null'],
  ['x', 'a string'],
  [[{ path: '/x' }], 'a list'],
  [{}, 'an object without a path'],
  [{ path: 7 }, 'an object without a path'],
  [{ path: '' }, 'an object without a path'],
])('what is no saved file is refused by name: %j', async (file, kind) => {
  const message = `readSaved takes an entry of "saved" or a Spilled; it was given ${kind}`;
  await expect(readSaved(file as SavedPlace).next()).rejects.toMatchObject({ code: 'usage', message });
});

test.each<[string, RegExp]>([
  ['/nonexistent/x', /^There is no file \/nonexistent\/x,/u],
  ['/nonexistent/result-0123456789abcdef', /was deleted: there is a bound/u],
])('a file that is not there is said to be deleted only if it was ours: %s', async (path, message) => {
  await expect(readSaved({ path }).next()).rejects.toMatchObject({ code: 'bad-input', message });
});
