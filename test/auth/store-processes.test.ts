import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, type TestContext } from 'vitest';
import { openCredentialStore } from '../../src/auth/store/open-credential-store.js';
import { folderKeychain } from './folder-keychain.js';
import { KEY, save, signedIn, tokenOf } from './store-scene.js';
import { openStoreRunner, type StoreRunner } from './store-run.js';

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const WRITES = FULL ? 1_000 : 40;
/** The key that the driver uses. */
const PLAIN = { server: 'https://mcp.example.com/v1', account: '' };

let runner: StoreRunner;
beforeAll(async () => {
  runner = await openStoreRunner();
});
afterAll(() => runner[Symbol.dispose]());

test.for([
  ['a file', WRITES],
  ['a keychain', FULL ? WRITES : 15],
] as const)(
  'F17: two processes save to %s %i times each, nothing is lost and whoever reads sees a whole record',
  async ([kind, writes]) => {
    const folder = join(runner.folder(), 'credentials');
    const keychain = kind === 'a file' ? 'off' : runner.folder();
    await runner.run(['save', folder, keychain, 'first']).ended;
    const watch = runner.run(['watch', folder, keychain]);
    await watch.firstSaid;
    const writers = ['a', 'b'].map((prefix) => runner.run(['add', folder, keychain, prefix, `${writes}`]).ended);
    expect((await Promise.all(writers)).map(({ said }) => said)).toEqual([['done'], ['done']]);
    watch.child.stdin!.end();
    const [, seen, ...rest] = (await watch.ended).said;
    expect(rest).toEqual([]); // no read found the record missing or broken
    expect(seen).toBeGreaterThan(5);
    const { said } = await runner.run(['load', folder, keychain]).ended;
    expect(said).toEqual([{ token: 'x', revision: 2 * writes + 1, scopes: 2 * writes }]);
    expect(readdirSync(folder)).toHaveLength(1);
  },
);

/** The tests of the lock kill a process at these steps, so only the full run repeats them here. */
const LOCK_STEPS = ['ticket-made', 'ticket-signed', 'locked', 'unsigned', 'released'];

test.for(['a file', 'a keychain', 'a file, and then a keychain'])(
  'a process that is killed after each step of saving to %s leaves the old sign-in or the new one',
  async (kind) => {
    const folder = join(runner.folder(), 'credentials');
    const entries = runner.folder();
    const options = { folder, env: {}, platform: 'linux', onProblem: () => {} } as const;
    const filed = openCredentialStore({ ...options, keychain: 'off' });
    const store = kind === 'a file' ? filed : openCredentialStore({ ...options, keychain: folderKeychain(entries) });
    const makeOld = async (): Promise<void> => {
      await store.alone(PLAIN, (held) => held.remove());
      await save(kind === 'a keychain' ? store : filed, 'old', PLAIN);
    };
    await makeOld();
    const act = ['die', folder, kind === 'a file' ? 'off' : entries, 'new'];
    const steps = (await runner.run([...act, '-1']).ended).said[0] as string[];
    expect(steps).toContain(kind === 'a file' ? 'renamed' : 'kept');
    const outcomes: string[] = [];
    for (const [at, step] of steps.entries()) {
      if (!FULL && LOCK_STEPS.includes(step)) continue;
      await makeOld();
      const { signal } = await runner.run([...act, `${at}`]).ended;
      expect(signal).toBe('SIGKILL');
      outcomes.push(tokenOf(await store.load(PLAIN)) ?? 'none');
    }
    // Up to some step the old record survives, from that step on the new one.
    expect(outcomes.join(' ')).toMatch(/^(?:old )+new(?: new)*$/u);
    await save(store, 'next', PLAIN);
    expect(readdirSync(folder)).toHaveLength(1);
  },
);

/** Mounts a tmpfs of 64 KB, unmounted when the test has finished; skips the test where mounting is not allowed. */
function mountDisk(context: TestContext): string {
  const disk = runner.folder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk], { stdio: 'pipe' });
  } catch (error) {
    context.skip(`no disk to fill: mounting a tmpfs failed here (${String(error).split('\n')[0]})`);
  }
  onTestFinished(() => void execFileSync('umount', ['-l', disk]));
  return disk;
}

test('F21: on a full disk saving is refused by name, and the old sign-in is intact', async (context) => {
  const disk = mountDisk(context);
  const folder = join(disk, 'credentials');
  const store = openCredentialStore({ folder, keychain: 'off', env: {}, platform: 'linux', onProblem: () => {} });
  await save(store, 'old');
  writeFileSync(join(disk, 'filler'), 'x'.repeat(48_000));
  const names = readdirSync(folder);
  await store.alone(KEY, async (held) => {
    expect(tokenOf(held.current)).toBe('old');
    await expect(held.save(signedIn('n'.repeat(40_000)))).rejects.toMatchObject({
      code: 'write-failed',
      message: expect.stringContaining('the disk is full (ENOSPC); the old file is intact'),
      hint: expect.stringContaining('df -h'),
    });
  });
  expect(tokenOf(await store.load(KEY))).toBe('old');
  expect(readdirSync(folder)).toEqual(names);
});

test('on a read-only disk a refresh still has its turn, and the user is told once that nothing is written down', async (context) => {
  const disk = mountDisk(context);
  const folder = join(disk, 'credentials');
  const problems: string[] = [];
  const onProblem = (text: string): void => void problems.push(text);
  const store = openCredentialStore({ folder, keychain: 'off', env: {}, platform: 'linux', onProblem });
  await save(store, 'old');
  execFileSync('mount', ['-o', 'remount,ro', disk]);
  for (let round = 0; round < 2; round++) {
    await store.alone(KEY, async (held) => {
      expect(tokenOf(held.current)).toBe('old');
      await expect(held.save(signedIn('new'))).rejects.toMatchObject({
        code: 'write-failed',
        message: expect.stringContaining('EROFS'),
      });
    });
  }
  expect(problems).toEqual([expect.stringContaining('read-only')]);
});

test('a lock of a killed program does not hold up the next one, and its half-written file goes', async () => {
  const folder = join(runner.folder(), 'credentials');
  mkdirSync(folder, { mode: 0o700 });
  const { signal } = await runner.run(['die', folder, 'off', 'secret', '5']).ended;
  expect(signal).toBe('SIGKILL');
  expect(readdirSync(folder).some((name) => name.endsWith('.tmp'))).toBe(true);
  const { said } = await runner.run(['save', folder, 'off', 'next']).ended;
  expect(said).toEqual([{ token: 'next', revision: 1, scopes: 0 }]);
  const [name, ...rest] = readdirSync(folder);
  expect(rest).toEqual([]);
  expect(statSync(join(folder, name!)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, name!), 'utf8')).not.toContain('secret');
});
