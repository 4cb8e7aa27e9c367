import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newOwner } from './lock-owner.js';
import { replaceFile, updateFile } from './write-file.js';
import { HANG_GUARD_MS } from '../../../test/hang-guard.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-write-')));
  file = join(folder, 'config.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o7777;

/** Checks that no lock and no temporary file is left. */
function checkFolder(...names: string[]): void {
  expect(readdirSync(folder).toSorted()).toEqual(names.toSorted());
}

test('a new file is private, and so are the folders made for it', async () => {
  const deep = join(folder, 'a', 'b', 'config.json');
  await replaceFile(deep, 'new');
  expect(readFileSync(deep, 'utf8')).toBe('new');
  expect([modeOf(deep), modeOf(join(folder, 'a', 'b')), modeOf(join(folder, 'a'))]).toEqual([0o600, 0o700, 0o700]);
});

test('a mode asked for holds for a new file; an existing one keeps its own', async () => {
  await replaceFile(file, 'one', { mode: 0o640 });
  expect(modeOf(file)).toBe(0o640);
  chmodSync(file, 0o666); // more than the umask allows
  await replaceFile(file, 'two', { mode: 0o600 });
  expect(modeOf(file)).toBe(0o666);
});

test('the owner of an existing file is kept where the system lets us', async (context) => {
  if (process.getuid?.() !== 0) context.skip('only root gives files away');
  writeFileSync(file, 'old');
  chownSync(file, 1234, 2345);
  await replaceFile(file, 'new');
  expect(statSync(file)).toMatchObject({ uid: 1234, gid: 2345 });
});

test('a symbolic link stays and its target changes', async () => {
  mkdirSync(join(folder, 'dotfiles'));
  writeFileSync(join(folder, 'dotfiles', 'real.json'), 'old');
  symlinkSync('dotfiles/real.json', file);
  await replaceFile(file, 'new');
  expect(readlinkSync(file)).toBe('dotfiles/real.json');
  expect(readFileSync(join(folder, 'dotfiles', 'real.json'), 'utf8')).toBe('new');
});

test('a dangling link gets its target', async () => {
  symlinkSync('dotfiles/real.json', file);
  await updateFile(file, () => 'new');
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(folder, 'dotfiles', 'real.json'), 'utf8')).toBe('new');
});

test('links in a circle, a directory and a device are refused', async () => {
  symlinkSync('config.json', file);
  await expect(replaceFile(file, 'new')).rejects.toMatchObject({ code: 'write-failed', message: /circle/ });
  mkdirSync(join(folder, 'directory'));
  await expect(replaceFile(join(folder, 'directory'), 'new')).rejects.toMatchObject({
    code: 'write-failed',
    message: /EISDIR/,
  });
  await expect(replaceFile('/dev/null', 'new')).rejects.toMatchObject({ code: 'write-failed', message: /regular/ });
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  checkFolder('config.json', 'directory');
});

test('a folder that is a file is named', async () => {
  writeFileSync(file, '');
  const below = join(file, 'below', 'config.json');
  await expect(updateFile(below, () => 'new')).rejects.toMatchObject({
    code: 'write-failed',
    hint: expect.any(String),
  });
});

test('whoever reads during a write sees all of the old file or all of the new', async () => {
  const [old, fresh] = ['a'.repeat(200_000), 'b'.repeat(300_000)];
  writeFileSync(file, old);
  const seen: [string, string][] = [];
  await replaceFile(file, fresh, {
    onStep: (step) => seen.push([step, readFileSync(file, 'utf8') === old ? 'old' : 'new']),
  });
  expect(readFileSync(file, 'utf8')).toBe(fresh);
  const chunks = seen.filter(([step]) => step === 'chunk-written').length;
  expect(chunks).toBeGreaterThan(3);
  expect(seen.filter(([, content]) => content === 'new').map(([step]) => step)).toEqual(['renamed', 'durable']);
});

test.each(['created', 'chunk-written', 'flushed'])(
  'a failure after %s leaves the old file and nothing else',
  async (at) => {
    writeFileSync(file, 'old');
    const onStep = (step: string): void => {
      if (step === at) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    };
    await expect(updateFile(file, () => 'new', { onStep })).rejects.toMatchObject({
      code: 'write-failed',
      message: `Cannot write ${file}: the disk is full (ENOSPC); the old file is intact`,
    });
    expect(readFileSync(file, 'utf8')).toBe('old');
    checkFolder('config.json');
  },
);

test('an update reads, changes and writes', async () => {
  expect(await updateFile(file, (text) => `${text}`)).toEqual({ kind: 'written', path: file });
  expect(await updateFile(file, (text) => `${text}!`)).toEqual({ kind: 'written', path: file });
  expect(readFileSync(file, 'utf8')).toBe('undefined!');
  checkFolder('config.json');
});

test.each([
  ['undefined', () => undefined],
  ['the same text', (text: string | undefined) => text],
])('an update that gives %s does not touch the file', async (_title, change) => {
  writeFileSync(file, '\uFEFFold');
  const before = statSync(file);
  expect(await updateFile(file, change)).toEqual({ kind: 'unchanged', path: file });
  expect(statSync(file)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
});

test('what cannot be read is not replaced', async () => {
  writeFileSync(file, Buffer.from([0xff, 0xfe, 1, 2]));
  await expect(updateFile(file, () => '{}')).rejects.toMatchObject({ code: 'config-unreadable' });
  expect(readFileSync(file)).toEqual(Buffer.from([0xff, 0xfe, 1, 2]));
  checkFolder('config.json');
});

test('a text over the limit is not written, because it could never be read again', async () => {
  writeFileSync(file, 'old');
  await expect(updateFile(file, () => 'x'.repeat(11), { limit: 10 })).rejects.toMatchObject({
    code: 'config-too-large',
  });
  expect(readFileSync(file, 'utf8')).toBe('old');
});

test('an error of the change itself comes through and frees the lock', async () => {
  const mine = new TypeError('mine');
  const change = (): string => {
    throw mine;
  };
  await expect(updateFile(file, change)).rejects.toBe(mine);
  await updateFile(file, () => 'new', { timeoutMs: 0 });
  checkFolder('config.json');
});

test('a hundred updates at once in one process all count, by whichever link they come', async () => {
  symlinkSync('config.json', join(folder, 'alias.json'));
  await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      updateFile(index % 2 ? file : join(folder, 'alias.json'), (text) => `${Number(text ?? 0) + 1}`, {
        timeoutMs: HANG_GUARD_MS,
      }),
    ),
  );
  expect(readFileSync(file, 'utf8')).toBe('100');
  checkFolder('alias.json', 'config.json');
});

test('half-written files of killed writers go, those of living ones and of strangers stay', async () => {
  const { place } = newOwner();
  const dead = `config.json.4194303-1-${'a'.repeat(24)}-${place}.tmp`; // no pid reaches the top of the range
  const stranger = 'config.json.backup.tmp';
  const other = `other.json.4194303-1-${'a'.repeat(24)}-${place}.tmp`;
  for (const name of [dead, stranger, other]) writeFileSync(join(folder, name), '');
  await updateFile(file, () => 'new');
  expect(existsSync(join(folder, dead))).toBe(false);
  checkFolder('config.json', stranger, other);
});
