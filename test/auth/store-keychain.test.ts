import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished, test, type TestContext } from 'vitest';
import { type OpenedCredentialStore, openCredentialStore } from '../../src/auth/store/open-credential-store.js';
import { placeOf } from '../../src/auth/store/record-place.js';
import { KEY, save, tokenOf } from './store-scene.js';
import { openStoreRunner, type StoreRunner } from './store-run.js';

// Tests the real Linux keychain: a Secret Service with its own message bus and home folder, never the user's.

/** The key that the driver uses. */
const PLAIN = { server: 'https://mcp.example.com/v1', account: '' };

let runner: StoreRunner;
beforeAll(async () => {
  runner = await openStoreRunner();
});
afterAll(() => runner[Symbol.dispose]());

interface Session {
  readonly env: Record<string, string>;
  /** The folder of the credential store. */
  readonly folder: string;
  store(): OpenedCredentialStore;
  lock(): void;
  problems: string[];
}

async function openSession(context: TestContext): Promise<Session> {
  if (process.platform !== 'linux') context.skip('there is a Secret Service only on Linux');
  for (const program of ['dbus-run-session', 'gnome-keyring-daemon', 'dbus-send']) {
    if (!['/usr/bin', '/bin', '/usr/local/bin'].some((folder) => existsSync(join(folder, program)))) {
      context.skip(`no Secret Service to try: ${program} is not installed`);
    }
  }
  const root = runner.folder();
  const [home, runtime] = [join(root, 'home'), join(root, 'runtime')];
  for (const folder of [home, runtime]) mkdirSync(folder, { mode: 0o700 });
  const own = { HOME: home, XDG_RUNTIME_DIR: runtime, PATH: process.env['PATH'] ?? '' };
  const script = `printf pass | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; echo "$DBUS_SESSION_BUS_ADDRESS"; read -r _`;
  const child = spawn('dbus-run-session', ['--', 'sh', '-c', script], { env: own, stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise((done) => child.once('close', done));
  onTestFinished(async () => {
    child.stdin.end();
    await ended;
  });
  const address = await new Promise<string>((done) => createInterface({ input: child.stdout }).once('line', done));
  const env = { ...own, DBUS_SESSION_BUS_ADDRESS: address };
  const bus = (...args: string[]): string =>
    execFileSync('dbus-send', ['--session', '--print-reply', ...args], { env, encoding: 'utf8', stdio: 'pipe' });
  // The daemon goes into the background before it owns its name on the bus.
  const isUp = (): boolean =>
    bus(
      '--dest=org.freedesktop.DBus',
      '/',
      'org.freedesktop.DBus.NameHasOwner',
      'string:org.freedesktop.secrets',
    ).includes('true');
  await expect.poll(isUp).toBe(true);
  const problems: string[] = [];
  const onProblem = (text: string): void => void problems.push(text);
  const folder = join(root, 'credentials');
  return {
    env,
    folder,
    problems,
    store() {
      const store = openCredentialStore({ folder, keychain: 'auto', env, platform: 'linux', onProblem });
      onTestFinished(() => store[Symbol.asyncDispose]());
      return store;
    },
    lock: () =>
      void bus(
        '--dest=org.freedesktop.secrets',
        '/org/freedesktop/secrets',
        'org.freedesktop.Secret.Service.Lock',
        'array:objpath:/org/freedesktop/secrets/collection/login',
      ),
  };
}

test('a real keychain keeps a sign-in from process to process; locked, it is named and nothing is lost', async (context) => {
  const session = await openSession(context);
  const store = session.store();
  const long = 'x'.repeat(100_000);
  await save(store, 'one', PLAIN);
  await save(store, long);
  expect(tokenOf(await store.load(KEY))).toBe(long);
  expect(readdirSync(session.folder).filter((name) => !name.endsWith('.keychain'))).toEqual([]);
  const other = runner.run(['leave', session.folder, 'auto'], { env: session.env });
  expect((await other.ended).said).toEqual([{ token: 'one', revision: 1, scopes: 1 }]);
  expect(tokenOf(await session.store().load(PLAIN))).toBe('one');
  await store.alone(KEY, (held) => held.remove());
  expect(await session.store().load(KEY)).toBeUndefined();

  session.lock();
  const locked = {
    code: 'sign-in-failed',
    message: expect.stringContaining('is locked'),
    detail: { isTransient: true },
  };
  await expect(session.store().load(PLAIN)).rejects.toMatchObject(locked);
  const { said } = await runner.run(['leave', session.folder, 'auto'], { env: session.env }).ended;
  expect(said).toMatchObject([{ error: { code: 'sign-in-failed' } }]);
  await save(session.store(), 'three', { ...KEY, account: 'new' });
  expect(session.problems).toEqual([expect.stringContaining(`Sign-ins are kept in ${session.folder}`)]);
});

test('without a message bus there is no keychain, the user is told once, and nothing is started to find out', async () => {
  const problems: string[] = [];
  const folder = join(runner.folder(), 'credentials');
  const env = { XDG_RUNTIME_DIR: runner.folder(), HOME: runner.folder() };
  const onProblem = (text: string): void => void problems.push(text);
  const store = openCredentialStore({ folder, keychain: 'auto', env, platform: 'linux', onProblem });
  const before = childrenOf(process.pid);
  await save(store, 'one');
  await save(store, 'two');
  expect(childrenOf(process.pid).filter((pid) => !before.includes(pid))).toEqual([]);
  expect(tokenOf(await store.load(KEY))).toBe('two');
  expect(problems).toEqual([expect.stringContaining('this session has no D-Bus message bus')]);
});

/** A message bus that never responds, and a marker that says that the sign-in is in the keychain behind it. */
async function openSilentBus(): Promise<{ readonly folder: string; readonly env: Record<string, string> }> {
  const root = runner.folder();
  const server = createServer(() => {}).listen(join(root, 'bus'));
  onTestFinished(() => void server.close());
  await new Promise((done) => server.once('listening', done));
  const folder = join(root, 'credentials');
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, placeOf(PLAIN, folder).marker), '{"version":1,"revision":1}', { mode: 0o600 });
  return { folder, env: { DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(root, 'bus')}`, HOME: root } };
}

test('a message bus that is silent holds up nobody: given up after 2 s, everything else goes on, and the process ends', async (context) => {
  if (process.platform !== 'linux') context.skip('there is a message bus only on Linux');
  const { folder, env } = await openSilentBus();
  const { said } = await runner.run(['stall', folder, 'auto'], { env }).ended;
  expect(said).toMatchObject(['asking', { outcome: { error: { code: 'sign-in-failed' } } }]);
  // If the event loop had been blocked for these two seconds, the timer would have fired once.
  expect((said[1] as { turns: number }).turns).toBeGreaterThan(10);
});

test('a program that is killed while the keychain is asked leaves no process behind', async (context) => {
  if (process.platform !== 'linux') context.skip('processes are looked for in /proc');
  const { folder, env } = await openSilentBus();
  const { child, firstSaid, ended } = runner.run(['stall', folder, 'auto'], { env });
  await firstSaid;
  let helpers: number[] = [];
  while (helpers.length === 0) {
    await new Promise(setImmediate);
    helpers = childrenOf(child.pid!);
  }
  child.kill('SIGKILL');
  await ended;
  await expect.poll(() => helpers.filter(isAlive)).toEqual([]);
});

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .filter((pid) => fieldsOf(pid)?.[1] === `${parent}`)
    .map(Number);
}

function isAlive(pid: number): boolean {
  const state = fieldsOf(`${pid}`)?.[0];
  return state !== undefined && state !== 'Z';
}

/** The fields of /proc/PID/stat from the state on: state, parent, ...; undefined when there is no such process. */
function fieldsOf(pid: string): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
