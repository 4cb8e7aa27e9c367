import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { KEY, openStoreScene, save, signedIn, tokenOf } from '../../../test/auth/store-scene.js';
import { openCredentialStore } from './open-credential-store.js';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** A store with one saved record. */
async function openSaved(): Promise<ReturnType<typeof openStoreScene>> {
  const scene = openStoreScene();
  await save(scene.open(), 'one');
  return scene;
}

test('a sign-in is there for the next run, in a file that only its owner can read', async () => {
  const scene = await openSaved();
  expect(tokenOf(await scene.open().load(KEY))).toBe('one');
  expect([modeOf(scene.folder), modeOf(scene.file)]).toEqual([0o700, 0o600]);
  expect(readdirSync(scene.folder)).toEqual([basename(scene.file)]);
  expect(scene.problems).toEqual([]);
});

test('a store of which nothing is asked leaves nothing behind, and looking for a sign-in neither', async () => {
  const scene = openStoreScene();
  expect(await scene.open({ keychain: 'auto' }).load(KEY)).toBeUndefined();
  expect(existsSync(scene.folder)).toBe(false);
});

test('a program without a folder remembers as long as it runs', async () => {
  const scene = openStoreScene();
  const store = scene.open({ folder: undefined });
  expect(await save(store, 'one')).toMatchObject({ revision: 1 });
  expect(await save(store, 'two')).toMatchObject({ revision: 2 });
  expect(tokenOf(await store.load(KEY))).toBe('two');
  await store.alone(KEY, (held) => held.remove());
  expect(await store.load(KEY)).toBeUndefined();
});

test('accounts, clients and paths of one server have nothing of each other; spellings of its address do not matter', async () => {
  const store = openStoreScene().open();
  const keys = [
    { server: 'https://mcp.example.com/a', account: '' },
    { server: 'https://mcp.example.com/a', account: 'work' },
    { server: 'https://mcp.example.com/a', account: '', clientId: 'mine' },
    { server: 'https://mcp.example.com/a/', account: '' },
    { server: 'https://mcp.example.com/a?tenant=1', account: '' },
  ];
  await Promise.all(keys.map((key, at) => save(store, `token ${at}`, key)));
  for (const [at, key] of keys.entries()) expect(tokenOf(await store.load(key))).toBe(`token ${at}`);
  const other = { server: 'HTTPS://me:pass@MCP.example.com:443/b/../a#top', account: '' };
  expect(tokenOf(await store.load(other))).toBe('token 0');
});

test('each save counts one up, also within one turn, and removing leaves nothing', async () => {
  const scene = openStoreScene();
  const store = scene.open();
  await store.alone(KEY, async (held) => {
    expect(held.current).toBeUndefined();
    expect(await held.save(signedIn('one'))).toMatchObject({ revision: 1 });
    expect(await held.save(signedIn('two'))).toMatchObject({ revision: 2 });
  });
  expect(await save(scene.open(), 'three')).toMatchObject({ revision: 3 });
  await store.alone(KEY, async (held) => {
    expect(tokenOf(held.current)).toBe('three');
    await held.remove();
  });
  expect(await store.load(KEY)).toBeUndefined();
  expect(readdirSync(scene.folder)).toEqual([]);
});

test('whoever comes too late to save is told, and harms nobody', async () => {
  const scene = await openSaved();
  const late = await scene.open().alone(KEY, async (held) => held);
  await expect(late.save(signedIn('late'))).rejects.toMatchObject({ code: 'internal' });
  await expect(late.remove()).rejects.toMatchObject({ code: 'internal' });
  expect(tokenOf(await scene.open().load(KEY))).toBe('one');
});

test('a hundred callers of two stores go one after the other, each with what the one before has left', async () => {
  const scene = openStoreScene();
  const stores = [scene.open(), scene.open()];
  let inside = 0;
  const seen = await Promise.all(
    Array.from({ length: 100 }, (_, at) =>
      stores[at % 2]!.alone(KEY, async (held) => {
        expect(++inside).toBe(1);
        await held.save(signedIn(`${at}`));
        inside--;
        return held.current?.revision ?? 0;
      }),
    ),
  );
  expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, at) => at));
});

test('waiting ends with the time that was given for it, with the signal, and for the next one when somebody fails', async () => {
  const store = openStoreScene().open();
  const control = new AbortController();
  await store.alone(KEY, async () => {
    await expect(store.alone(KEY, async () => 1, { timeoutMs: 20 })).rejects.toMatchObject({ code: 'lock-timeout' });
    const waiting = Promise.allSettled([store.alone(KEY, async () => 2, control)]);
    control.abort();
    expect(await waiting).toMatchObject([{ reason: { code: 'cancelled' } }]);
  });
  await expect(store.alone(KEY, async () => 3, control)).rejects.toMatchObject({ code: 'cancelled' });
  const mine = new TypeError('mine');
  const both = [store.alone(KEY, () => Promise.reject(mine)), store.alone(KEY, async () => 4)];
  expect(await Promise.allSettled(both)).toMatchObject([{ reason: mine }, { value: 4 }]);
});

test('a file that others could read is made private, and the user is told once', async () => {
  const scene = await openSaved();
  chmodSync(scene.file, 0o644);
  const store = scene.open();
  expect(tokenOf(await store.load(KEY))).toBe('one');
  expect(modeOf(scene.file)).toBe(0o600);
  chmodSync(scene.file, 0o640);
  await store.load(KEY);
  expect(scene.problems).toEqual([expect.stringContaining(`Other users could read the sign-in in ${scene.file}`)]);
  chmodSync(scene.folder, 0o755);
  await save(store, 'two');
  expect([modeOf(scene.folder), modeOf(scene.file)]).toEqual([0o700, 0o600]);
  expect(scene.problems).toHaveLength(2);
});

test.each([
  ['a symbolic link', 'symbolic link', (file: string) => symlinkSync('/etc/hostname', file)],
  ['a link to nothing', 'symbolic link', (file: string) => symlinkSync('/nowhere', file)],
  ['a FIFO', 'FIFO', (file: string) => void execFileSync('mkfifo', [file])],
  ['a directory', 'directory', (file: string) => mkdirSync(file)],
  ['a file of 257 KB', 'the limit is 262144', (file: string) => writeFileSync(file, 'x'.repeat(263_000))],
])('%s in place of a sign-in is refused by name, and nothing is written through it', async (_title, word, put) => {
  const scene = openStoreScene();
  mkdirSync(scene.folder, { mode: 0o700 });
  put(scene.file);
  const wanted = {
    code: 'config-unreadable',
    message: expect.stringMatching(new RegExp(`${basename(scene.file)}.*${word}`, 'u')),
    hint: expect.stringContaining('ls -ld'),
  };
  await expect(scene.open().load(KEY)).rejects.toMatchObject(wanted);
  await expect(save(scene.open(), 'two')).rejects.toMatchObject(wanted);
  expect(readdirSync(scene.folder)).toEqual([basename(scene.file)]);
  expect(existsSync('/nowhere')).toBe(false);
});

test('a file, or a folder, of somebody else is refused by name', async (context) => {
  if (process.getuid?.() !== 0) context.skip('only root gives files away');
  const scene = await openSaved();
  chownSync(scene.file, 65_534, 65_534);
  const message = expect.stringContaining('belongs to another user (uid 65534)');
  await expect(scene.open().load(KEY)).rejects.toMatchObject({ code: 'config-unreadable', message });
  chownSync(scene.file, 0, 0);
  chownSync(scene.folder, 65_534, 65_534);
  await expect(save(scene.open(), 'two')).rejects.toMatchObject({ code: 'config-unreadable', message });
});

test('a half-written file is set aside and kept; the user is told once and signs in again', async () => {
  const scene = await openSaved();
  const half = readFileSync(scene.file, 'utf8').slice(0, 100);
  for (const ending of ['.broken', '.broken-2']) {
    writeFileSync(scene.file, half, { mode: 0o600 });
    const store = scene.open();
    expect(await store.load(KEY)).toBeUndefined();
    expect(await store.load(KEY)).toBeUndefined();
    expect(readFileSync(`${scene.file}${ending}`, 'utf8')).toBe(half);
    expect(existsSync(scene.file)).toBe(false);
  }
  expect(scene.problems).toEqual([
    expect.stringMatching(/not complete JSON.*\.broken; sign in again/u),
    expect.stringMatching(/\.broken-2; sign in again/u),
  ]);
  await save(scene.open(), 'two');
  expect(tokenOf(await scene.open().load(KEY))).toBe('two');
  expect(scene.problems.join('\n')).not.toContain('one');
});

test('an older format is understood and written anew; fields that nobody knows here stay', async () => {
  const scene = await openSaved();
  const { version, ...old } = JSON.parse(readFileSync(scene.file, 'utf8')) as Record<string, unknown>;
  expect(version).toBe(1);
  writeFileSync(scene.file, JSON.stringify({ ...old, theirs: 'kept' }));
  expect(tokenOf(await scene.open().load(KEY))).toBe('one');
  await save(scene.open(), 'two');
  expect(JSON.parse(readFileSync(scene.file, 'utf8'))).toMatchObject({ version: 1, theirs: 'kept', revision: 2 });
  expect(scene.problems).toEqual([]);
});

test('what a newer program has written is left alone, and the user is told with which to sign in', async () => {
  const scene = await openSaved();
  const text = JSON.stringify({ ...(JSON.parse(readFileSync(scene.file, 'utf8')) as object), version: 2 });
  writeFileSync(scene.file, text);
  const wanted = { code: 'config-unreadable', hint: expect.stringContaining('newer program') };
  await expect(scene.open().load(KEY)).rejects.toMatchObject(wanted);
  await expect(save(scene.open(), 'two')).rejects.toMatchObject(wanted);
  expect(readFileSync(scene.file, 'utf8')).toBe(text);
});

test.each([{ server: 'https://other.example.com' }, { account: 'home' }])(
  'a sign-in in the wrong place (%j) is nobody’s, and is told of without the secrets of its address',
  async (change) => {
    const scene = await openSaved();
    const whole = JSON.parse(readFileSync(scene.file, 'utf8')) as object;
    writeFileSync(scene.file, JSON.stringify({ ...whole, ...change }));
    expect(await scene.open().load(KEY)).toBeUndefined();
    expect(scene.problems).toEqual([expect.stringContaining('not the sign-in for https://mcp.example.com/v1 as work')]);
    expect(scene.problems[0]).not.toContain('hidden');
    expect(await save(scene.open(), 'two')).toMatchObject({ revision: 2 });
  },
);

test('a sign-in for a client of one’s own is not taken from a file for another client', async () => {
  const scene = openStoreScene();
  const key = { ...KEY, clientId: 'mine' };
  await scene.open().alone(key, (held) => held.save(signedIn('one')));
  expect(await scene.open().load(key)).toBeUndefined();
});

test('a record that could never be read again is not written', async () => {
  const scene = await openSaved();
  await expect(save(scene.open(), 'x'.repeat(150_000))).rejects.toMatchObject({
    code: 'write-failed',
    message: expect.stringMatching(/takes \d{6} bytes; the limit is 262144/u),
  });
  expect(tokenOf(await scene.open().load(KEY))).toBe('one');
});

test('a folder that cannot be made is named, with what to look at', async () => {
  const scene = openStoreScene();
  writeFileSync(scene.folder, 'a file');
  const store = openCredentialStore({
    folder: join(scene.folder, 'below'),
    keychain: 'off',
    env: {},
    platform: 'linux',
    onProblem: () => {},
  });
  expect(await store.load(KEY)).toBeUndefined();
  await expect(save(store, 'one')).rejects.toMatchObject({ code: 'write-failed', hint: expect.any(String) });
});
