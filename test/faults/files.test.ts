import { type ChildProcess, execFileSync, spawn, type SpawnOptions } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test, type TestContext } from 'vitest';
import { readBounded } from '../../src/edge/files/read-file.js';
import { updateFile } from '../../src/edge/files/write-file.js';

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const WRITES = FULL ? 1000 : 50;
const KILLS = FULL ? 500 : 12; // more than an update has steps
const NOBODY = 65_534;

let root: string;
let driver: string;
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-faults-')));
  chmodSync(root, 0o755); // the driver also runs as another user
  driver = join(root, 'driver.mjs');
  const entry = join(import.meta.dirname, 'files-driver.ts');
  await build({
    entryPoints: [entry],
    outfile: driver,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function makeFolder(): string {
  const folder = mkdtempSync(join(root, 'case-'));
  chmodSync(folder, 0o755);
  return folder;
}

interface Run {
  readonly child: ChildProcess;
  /** The lines of its stdout, once it has ended. */
  readonly ended: Promise<{ signal: NodeJS.Signals | null; said: unknown[] }>;
  readonly firstSaid: Promise<unknown>;
}

function run(args: readonly string[], options: SpawnOptions = {}): Run {
  return start([process.execPath, driver, ...args], options);
}

function start([program, ...args]: readonly string[], options: SpawnOptions = {}): Run {
  const child = spawn(program!, args, { stdio: ['pipe', 'pipe', 'inherit'], ...options });
  const said: unknown[] = [];
  const lines = createInterface({ input: child.stdout! });
  lines.on('line', (line) => said.push(JSON.parse(line)));
  const firstSaid = new Promise<unknown>((done) => {
    lines.once('line', (line) => done(JSON.parse(line)));
  });
  const ended = new Promise<{ signal: NodeJS.Signals | null; said: unknown[] }>((done, fail) => {
    child.once('error', fail);
    child.once('close', (_code, signal) => done({ signal, said }));
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended, firstSaid };
}

test(`F16: two processes write ${WRITES} times each, none is lost and no reader sees half a file`, async () => {
  const file = join(makeFolder(), 'config.json');
  writeFileSync(file, '{}');
  const writers = ['a', 'b'].map((prefix) => run(['add', file, prefix, `${WRITES}`]).ended);
  const finished = new AbortController();
  const all = Promise.all(writers).finally(() => finished.abort());
  const sizes = new Set<number>();
  while (!finished.signal.aborted) {
    const read = readBounded(file);
    if (read.kind !== 'text') throw new Error(`the file was ${read.kind} for a moment`);
    sizes.add(Object.keys(JSON.parse(read.text)).length);
    await new Promise(setImmediate);
  }
  expect((await all).map(({ said }) => said)).toEqual([['done'], ['done']]);
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toHaveLength(2 * WRITES);
  expect(sizes.size).toBeGreaterThan(5); // the reader read while the writers wrote
  expect(readdirSync(join(file, '..'))).toEqual(['config.json']);
});

/** A killed writer leaves at most one temporary file and one lock, until the next write. */
function checkLeftovers(folder: string): void {
  const names = readdirSync(folder).filter((name) => name !== 'config.json');
  expect(names.filter((name) => name.endsWith('.tmp')).length).toBeLessThanOrEqual(1);
  expect(names.filter((name) => name.includes('.lock')).length).toBeLessThanOrEqual(1);
}

/** The next write succeeds at once: within 100 ms, far less than the timeout for a lock. */
async function checkNextWriter(file: string, text: string): Promise<void> {
  await updateFile(file, () => text, { timeoutMs: 100 });
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(readdirSync(join(file, '..'))).toEqual(['config.json']);
}

test(`F19: a writer killed after each of its steps, ${KILLS} times, leaves the old file or the new one`, async () => {
  const file = join(makeFolder(), 'config.json');
  const [old, fresh] = ['o'.repeat(70_000), 'n'.repeat(90_000)];
  writeFileSync(file, old);
  const whole = await run(['die', file, fresh, '-1']).ended;
  const steps = Number(whole.said[0]);
  expect(steps).toBeGreaterThan(9);
  expect(steps).toBeLessThanOrEqual(KILLS); // each step is tried at least once
  const outcomes = new Set<string>();
  for (let round = 0; round < KILLS; round++) {
    await checkNextWriter(file, old);
    const { signal } = await run(['die', file, fresh, `${round % steps}`]).ended;
    expect(signal).toBe('SIGKILL');
    const now = readFileSync(file, 'utf8');
    outcomes.add(now === old ? 'old' : now === fresh ? 'new' : 'torn');
    checkLeftovers(join(file, '..'));
  }
  expect([...outcomes].toSorted()).toEqual(['new', 'old']);
  await checkNextWriter(file, old);
});

test(`F19: a writer killed at any moment, ${KILLS} times, leaves one whole file`, async () => {
  const file = join(makeFolder(), 'config.json');
  for (let round = 0; round < KILLS; round++) {
    const { child, ended, firstSaid } = run(['forever', file]);
    await firstSaid;
    setTimeout(() => child.kill('SIGKILL'), Math.random() * 20);
    await ended;
    expect(readFileSync(file, 'utf8')).toMatch(/^([a-z])\1{99999}$/);
    checkLeftovers(join(file, '..'));
    await checkNextWriter(file, `${round}`);
  }
});

/** Mounts a tmpfs, unmounted when the test has finished; skips the test where mounting is not allowed. */
function mountDisk(context: TestContext, options: string): string {
  const disk = makeFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk], { stdio: 'pipe' });
  } catch (error) {
    context.skip(`no disk to fill: mounting a tmpfs failed here (${String(error).split('\n')[0]})`);
  }
  onTestFinished(() => void execFileSync('umount', ['-l', disk]));
  return disk;
}

test.for([
  ['its space', 'size=64k', (disk: string) => writeFileSync(join(disk, 'filler'), 'x'.repeat(48_000))],
  ['its files', 'size=1m,nr_inodes=4', (disk: string) => mkdirSync(join(disk, 'a', 'b'), { recursive: true })],
] as const)('F20: a disk that has used up %s is named, the old file is intact', async ([, size, fill], context) => {
  const disk = mountDisk(context, size);
  const file = join(disk, 'config.json');
  writeFileSync(file, 'old');
  fill(disk);
  const before = readdirSync(disk);
  await expect(updateFile(file, () => 'n'.repeat(40_000))).rejects.toMatchObject({
    code: 'write-failed',
    message: `Cannot write ${file}: the disk is full (ENOSPC); the old file is intact`,
    hint: expect.stringContaining(`df -h ${disk}`),
  });
  expect(readFileSync(file, 'utf8')).toBe('old');
  expect(readdirSync(disk)).toEqual(before);
});

test('F24: a read-only disk can be read, and writing says that it is one', async (context) => {
  const disk = mountDisk(context, 'size=64k');
  const file = join(disk, 'config.json');
  writeFileSync(file, 'old');
  execFileSync('mount', ['-o', 'remount,ro', disk]);
  expect(readBounded(file)).toMatchObject({ kind: 'text', text: 'old' });
  for (const target of [file, join(disk, 'plugboard', 'config.json')]) {
    await expect(updateFile(target, () => 'new')).rejects.toMatchObject({
      code: 'write-failed',
      message: expect.stringContaining('the disk is read-only (EROFS)'),
      hint: expect.stringContaining('XDG_CONFIG_HOME'),
    });
  }
  expect(readdirSync(disk)).toEqual(['config.json']);
});

/** Runs a process as another user, because file permissions do not bind root. */
function asUser(context: TestContext, uid: number): SpawnOptions {
  if (process.getuid?.() !== 0) context.skip('only root can run a process as another user');
  return { uid, gid: uid, env: {} };
}

test('F24: a folder of somebody else can be read, and writing says that it is not permitted', async (context) => {
  const user = asUser(context, NOBODY);
  const file = join(makeFolder(), 'config.json');
  writeFileSync(file, 'old', { mode: 0o644 });
  const read = await run(['read', file], user).ended;
  expect(read.said).toMatchObject([{ kind: 'text', text: 'old', uid: 0 }]);
  const { said } = await run(['update', file, 'new'], user).ended;
  const message = `Cannot write ${file}: permission denied (EACCES); the old file is intact`;
  expect(said).toMatchObject([{ error: { code: 'write-failed', message, hint: expect.stringContaining('ls -la') } }]);
  chmodSync(file, 0o600);
  const refused = await run(['read', file], user).ended;
  expect(refused.said).toMatchObject([{ kind: 'refused', error: { code: 'config-unreadable' } }]);
});

test('F24: a read-only file in a folder of one’s own is not replaced', async (context) => {
  const user = asUser(context, NOBODY);
  const folder = makeFolder();
  chmodSync(folder, 0o777);
  const file = join(folder, 'config.json');
  writeFileSync(file, 'old', { mode: 0o444 });
  const { said } = await run(['update', file, 'new'], user).ended;
  expect(said).toMatchObject([{ error: { code: 'write-failed', message: expect.stringContaining('EACCES') } }]);
  expect(readFileSync(file, 'utf8')).toBe('old');
  expect(readdirSync(folder)).toEqual(['config.json']);
});

test('F24: a process without HOME and without a name has no folders, and is told what to set', async (context) => {
  const { said } = await run(['places'], asUser(context, 54_321)).ended;
  expect(said).toEqual([
    {
      places: { managed: ['/etc/plugboard', '/etc/claude-code'] },
      error: {
        code: 'write-failed',
        message: 'There is no config folder to write to: no home folder is known',
        hint: 'Set HOME or XDG_CONFIG_HOME to an absolute path',
        docs: 'docs/troubleshooting.md#write-failed',
      },
    },
  ]);
});

test('a process that only watches ends by itself', async () => {
  const { said, signal } = await run(['leave', join(makeFolder(), 'config.json')]).ended;
  expect({ said, signal }).toEqual({ said: [], signal: null });
});

test.for(['max_inotify_watches', 'max_inotify_instances'])(
  'without %s changes are told all the same',
  async (limit, context) => {
    const file = join(makeFolder(), 'config.json');
    const setUp = `echo 0 > /proc/sys/user/${limit} && exec "$@"`;
    try {
      execFileSync('unshare', ['-Ur', 'sh', '-c', setUp, 'sh', 'true'], { stdio: 'pipe' });
    } catch (error) {
      context.skip(`inotify cannot be limited here (${String(error).split('\n')[0]})`);
    }
    const limited = ['unshare', '-Ur', 'sh', '-c', setUp, 'sh'];
    const { child, ended, firstSaid } = start([...limited, process.execPath, driver, 'watch', file]);
    expect(await firstSaid).toBe('armed');
    const told = new Promise((done) => {
      child.stdout!.once('data', done);
    });
    writeFileSync(file, 'new');
    await told;
    child.stdin!.end();
    expect((await ended).said).toEqual(['armed', 'told']);
  },
);
