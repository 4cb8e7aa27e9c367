import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type House, openHouse } from '../../../test/house.js';
import type { LockedServer } from '../../model/pins/lock.js';
import { lockFileOf } from './lock-files.js';
import { localFile } from '../scopes/local.js';
import { userFile } from '../scopes/user.js';
import { watchHostConfig } from '../watch.js';
import { writeLock } from './write-lock.js';

const PIN = `sha256-${'0'.repeat(64)}`;
const OTHER = `sha256-${'1'.repeat(64)}`;
const lock = { version: 1, servers: { a: { tools: { t: PIN }, prompts: {} } } };
const servers = { mcpServers: { a: { command: 'a' }, b: { command: 'b' } } };
const approved = { approveProject: true };

function fill(): House & { readonly lock: string } {
  const house = openHouse();
  house.write(join(house.project, '.mcp.json'), servers);
  return Object.assign(house, { lock: join(house.project, 'mcp.lock') });
}

test('a lock is about the servers of the file beside it, as far as it names them and they may run', async () => {
  using house = fill();
  house.write(house.lock, lock);
  const { locks, problems, watched } = await house.load(approved);
  expect([...locks]).toMatchObject([
    ['a', { kind: 'pinned', file: house.lock, pins: { tools: new Map([['t', PIN]]) } }],
  ]);
  expect(problems).toEqual([]);
  expect(watched).toContain(house.lock);
  // The servers are not approved: none is started, so no lock is needed.
  expect((await house.load()).locks.size).toBe(0);
});

test.each<[string, (house: House) => readonly [file: string, lock: string]]>([
  ['the user', (house) => [userFile(house.context())!, join(dirname(userFile(house.context())!), 'mcp.lock')]],
  ['the project', (house) => [join(house.project, '.mcp.json'), join(house.project, 'mcp.lock')]],
  [
    'the settings of the project',
    (house) => [join(house.project, '.plugboard/settings.json'), join(house.project, '.plugboard/mcp.lock')],
  ],
  [
    'one project alone, beside which other projects have theirs',
    (house) => [localFile(house.context())!, localFile(house.context())!.replace(/json$/u, 'mcp.lock')],
  ],
  ['the administrator', (house) => [join(house.managed, 'managed-mcp.json'), join(house.managed, 'mcp.lock')]],
])('a server of %s is pinned beside its file', async (_, place) => {
  using house = openHouse();
  const [file, beside] = place(house);
  house.write(file, servers);
  house.write(beside, lock);
  const loaded = await house.load(approved);
  expect(loaded.locks.get('a')).toMatchObject({ kind: 'pinned', file: beside });
  expect(lockFileOf(loaded.servers[0]!, loaded.context)).toBe(beside);
});

test('a server from the command line has no file, and so no lock', async () => {
  using house = openHouse();
  const loaded = await house.load({ mcpServers: ['a={"command":"a"}'] });
  expect(lockFileOf(loaded.servers[0]!, loaded.context)).toBeUndefined();
  expect(loaded.locks.size).toBe(0);
});

test.each<[string, (file: string) => unknown, RegExp]>([
  ['half a file', (file) => writeFileSync(file, '{"version":1,"servers":{"a":{"to'), /not JSON/u],
  ['the marks of a merge', (file) => writeFileSync(file, `<<<<<<< ours\n${JSON.stringify(lock)}`), /not JSON/u],
  ['nothing in it', (file) => writeFileSync(file, ''), /is empty/u],
  ['another version', (file) => writeFileSync(file, '{"version":9,"servers":{}}'), /is of version 9/u],
  [
    'a key that stands twice',
    (file) => writeFileSync(file, `{"version":1,"servers":{"a":{"tools":{"t":"${PIN}","t":"${OTHER}"},"prompts":{}}}}`),
    /appears twice/u,
  ],
  ['10,000 brackets', (file) => writeFileSync(file, '['.repeat(10_000)), /nested 10000 levels deep/u],
  ['2 GB', (file) => (writeFileSync(file, ''), truncateSync(file, 2 ** 31)), /2147483648 bytes/u],
  ['a folder', (file) => mkdirSync(file), /a directory/u],
  ['a FIFO', (file) => execFileSync('mkfifo', [file]), /a FIFO/u],
  ['a device', (file) => symlinkSync('/dev/zero', file), /a device/u],
  ['a link to nothing', (file) => symlinkSync('/nonexistent/lock', file), /a broken symbolic link/u],
  ['a link to itself', (file) => symlinkSync(file, file), /lead in a circle/u],
])('a lock that is %s closes the servers beside it, and no others', async (_, make, message) => {
  using house = fill();
  house.write(userFile(house.context())!, { mcpServers: { mine: { command: 'x' } } });
  make(house.lock);
  const { locks, problems, servers: found } = await house.load(approved);
  expect([...locks.keys()]).toEqual(['a', 'b']);
  expect(locks.get('a')).toMatchObject({ kind: 'broken', file: house.lock, reason: expect.stringMatching(message) });
  expect(problems).toMatchObject([
    { file: house.lock, severity: 'error', hint: expect.stringContaining('approve --lock') },
  ]);
  expect(found.map(({ standing }) => standing.kind)).toEqual(['ready', 'ready', 'ready']);
});

test('a mistake about one server closes that one, and is told with its line', async () => {
  using house = fill();
  const wrong = { version: 1, servers: { ...lock.servers, b: { tools: { t: 'any' }, prompts: {} } } };
  house.write(house.lock, JSON.stringify(wrong, undefined, 2));
  const { locks, problems } = await house.load(approved);
  expect([locks.get('a')?.kind, locks.get('b')?.kind]).toEqual(['pinned', 'broken']);
  expect(problems).toMatchObject([{ file: house.lock, line: 12, server: 'b', field: 'servers.b.tools.t' }]);
});

test('a link to a file elsewhere is read, as any other file of a configuration', async () => {
  using house = fill();
  house.write(join(house.home, 'elsewhere.lock'), lock);
  symlinkSync(join(house.home, 'elsewhere.lock'), house.lock);
  expect((await house.load(approved)).locks.get('a')).toMatchObject({ kind: 'pinned' });
});

test.runIf(process.getuid?.() === 0)(
  'a lock above the project that somebody else made closes what it pins',
  async () => {
    using house = fill();
    house.write(house.lock, lock);
    chownSync(house.lock, 12_345, 12_345);
    const below = join(house.project, 'sub');
    mkdirSync(below);
    expect((await house.load({ ...approved, cwd: below })).locks.get('a')).toMatchObject({
      kind: 'broken',
      reason: expect.stringContaining('it belongs to another user (uid 12345)'),
    });
    // A lock in the working directory itself is believed, even if others own it: the user works there.
    expect((await house.load(approved)).locks.get('a')).toMatchObject({ kind: 'pinned' });
  },
);

test('a lock that appears, changes or goes is told to whoever watches', async () => {
  using house = fill();
  const controller = new AbortController();
  const seen: (string | undefined)[] = [];
  let wake: (() => void) | undefined;
  await watchHostConfig(
    { ...house.context().options, ...approved },
    ({ loaded }) => {
      seen.push(loaded.locks.get('a')?.kind);
      wake?.();
    },
    { signal: controller.signal, debounceMs: 10 },
  );
  const after = async (act: () => unknown): Promise<void> => {
    const told = new Promise<void>((resolve) => (wake = resolve));
    act();
    await told;
  };
  await after(() => house.write(house.lock, lock));
  await after(() => house.write(house.lock, { ...lock, servers: { a: { tools: { t: OTHER }, prompts: {} } } }));
  await after(() => house.write(house.lock, '{'));
  await after(() => rmSync(house.lock));
  expect(seen).toEqual(['pinned', 'pinned', 'broken', undefined]);
  controller.abort();
});

const pinned = (pin: string): LockedServer => ({
  entry: undefined,
  package: undefined,
  instructions: undefined,
  tools: new Map([['t', pin]]),
  prompts: new Map(),
});

test('forty writers at once lose nothing of each other, and write what one after the other would', async () => {
  using house = fill();
  const names = Array.from({ length: 40 }, (_, at) => `s${at}`);
  const write = (name: string): Promise<unknown> =>
    writeLock({ file: house.lock, isShared: true, dryRun: false, change: () => new Map([[name, pinned(PIN)]]) });
  await Promise.all(names.map(write));
  const text = readFileSync(house.lock, 'utf8');
  expect(Object.keys((JSON.parse(text) as typeof lock).servers)).toEqual(names.toSorted());
  expect(statSync(house.lock).mode & 0o777).toBe(0o644);
  const { mtimeMs } = statSync(house.lock);
  await write('s7');
  expect(statSync(house.lock).mtimeMs).toBe(mtimeMs);
});

test('line ends of Windows stay as they are', async () => {
  using house = fill();
  const write = (name: string): Promise<unknown> =>
    writeLock({ file: house.lock, isShared: true, dryRun: false, change: () => new Map([[name, pinned(PIN)]]) });
  await write('a');
  writeFileSync(house.lock, readFileSync(house.lock, 'utf8').replaceAll('\n', '\r\n'));
  await write('b');
  expect(readFileSync(house.lock, 'utf8')).toMatch(/^(?:[^\r\n]*\r\n)+$/u);
  expect((await house.load(approved)).locks.size).toBe(2);
});

test.each<[string, (house: House & { lock: string }) => string | undefined]>([
  ['is no lock', (house) => house.write(house.lock, 'notes of mine\n')],
  ['git could not merge', (house) => house.write(house.lock, '<<<<<<< ours\n{}\n')],
  ['says one thing wrong', (house) => house.write(house.lock, '{"version":1,"servers":{"x":{}}}')],
  [
    'leads out of the project',
    (house) => {
      const target = house.write(join(house.home, 'target'), JSON.stringify(lock));
      symlinkSync(target, house.lock);
      return target;
    },
  ],
  [
    'would make a file out of the project',
    (house) => {
      symlinkSync(join(house.home, '.config/autostart.json'), house.lock);
      return undefined;
    },
  ],
])('a file that %s is refused and left as it is', async (_, make) => {
  using house = fill();
  const file = make(house);
  const before = file === undefined ? undefined : readFileSync(file, 'utf8');
  const written = writeLock({
    file: house.lock,
    isShared: true,
    dryRun: false,
    change: () => new Map([['a', pinned(PIN)]]),
  });
  await expect(written).rejects.toMatchObject({ hint: expect.stringContaining('mcp.lock') });
  expect(file === undefined ? undefined : readFileSync(file, 'utf8')).toBe(before);
  expect(existsSync(join(house.home, '.config/autostart.json'))).toBe(false);
});
