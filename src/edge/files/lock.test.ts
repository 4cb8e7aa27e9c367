import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { tryLock, withLock } from './lock.js';
import { newOwner, parseOwner } from './lock-owner.js';

let folder: string;
let file: string;
let lock: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-lock-')));
  file = join(folder, 'config.json');
  lock = `${file}.lock`;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const random = 'a'.repeat(24);
const GONE = 4_194_303; // the top of the pid range, which the kernel never assigns
const elsewhere = '0'.repeat(12);

/** Creates a lock or a ticket, with any owner and age. */
function leave(directory: string, owner: string, { ageMs = 0 } = {}): void {
  mkdirSync(directory);
  writeFileSync(join(directory, owner), '');
  const when = (Date.now() - ageMs) / 1000;
  utimesSync(join(directory, owner), when, when);
  utimesSync(directory, when, when);
}

/** Checks whether the lock can be taken. A stale lock is broken long before its lease of 60 s ends. */
async function check(expected: 'free' | 'held'): Promise<void> {
  const timeoutMs = expected === 'free' ? 10_000 : 30;
  const outcome = await withLock(file, () => 'free', { timeoutMs }).catch((error: { code: string }) => error.code);
  const left = readdirSync(folder);
  expect({ outcome, left }).toEqual(
    expected === 'free' ? { outcome: 'free', left: [] } : { outcome: 'lock-timeout', left: ['config.json.lock'] },
  );
}

test('only one holds the lock at a time, within one process as well', async () => {
  let inside = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++inside);
    await new Promise(setImmediate);
    inside--;
  };
  await Promise.all(Array.from({ length: 30 }, () => withLock(file, work)));
  expect(most).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

test('the result and the error of the work come through, and the lock is free again', async () => {
  expect(await withLock(file, () => 42)).toBe(42);
  const mine = new Error('mine');
  await expect(withLock(file, () => Promise.reject(mine))).rejects.toBe(mine);
  await check('free');
});

test('who waits too long learns who holds it and what to do', async () => {
  await withLock(file, async () => {
    await expect(withLock(file, () => {}, { timeoutMs: 20 })).rejects.toMatchObject({
      code: 'lock-timeout',
      message: `${file} is locked by process ${process.pid}; waited 20 ms`,
      hint: expect.stringContaining(`rm -r ${lock}`),
    });
    expect(readdirSync(folder)).toEqual(['config.json.lock']);
  });
});

test('waiting ends when the caller gives up', async () => {
  await withLock(file, async () => {
    const controller = new AbortController();
    const waiting = withLock(file, () => {}, { signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    await expect(withLock(file, () => {}, { signal: controller.signal })).rejects.toMatchObject({ code: 'cancelled' });
    expect(readdirSync(folder)).toEqual(['config.json.lock']);
  });
});

test('the lock of a dead process is broken at once', async () => {
  leave(lock, `${GONE}-1-${random}-${newOwner().place}`);
  await check('free');
});

test('the lock of a process whose pid somebody else has by now is broken at once', async () => {
  leave(lock, `${process.pid}-1-${random}-${newOwner().place}`);
  await check('free');
});

test('the lock of a killed process that nobody has waited for is broken at once', async (context) => {
  if (process.platform !== 'linux') context.skip('needs /proc to tell a zombie');
  // The shell starts a child and then execs a program that never waits for children.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec tail -f /dev/null'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const pid = Number(await firstLine(parent));
    const owner = `${pid}-${startOf(pid)}-${random}-${newOwner().place}`;
    leave(lock, owner);
    await check('held');
    process.kill(pid, 'SIGKILL');
    await until(() => stateOf(pid) === 'Z');
    await check('free');
  } finally {
    parent.kill('SIGKILL');
  }
});

test('the lock of a living process is not broken, however old', async () => {
  leave(lock, newOwner().id, { ageMs: 3_600_000 });
  await check('held');
});

test('the lock of another machine holds for a minute', async () => {
  leave(lock, `${GONE}-1-${random}-${elsewhere}`, { ageMs: 50_000 });
  await check('held');
  rmSync(lock, { recursive: true });
  leave(lock, `${process.pid}-1-${random}-${elsewhere}`, { ageMs: 61_000 });
  await check('free');
});

test('who holds the lock for long keeps saying so to other machines', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  await withLock(file, () => {
    const entry = join(lock, readdirSync(lock)[0]!);
    utimesSync(entry, 0, 0);
    vi.advanceTimersByTime(15_000);
    expect(statSync(entry).mtimeMs).toBeGreaterThan(Date.now() - 10_000);
    rmSync(entry); // as if another machine had broken the lock: the next heartbeat must not recreate the entry
    vi.advanceTimersByTime(15_000);
    expect(readdirSync(lock)).toEqual([]);
  });
  await check('free');
});

test('an empty lock directory, left between two steps of a release, is no lock', async () => {
  mkdirSync(lock);
  await check('free');
});

test('tickets of dead owners go, whole or half made; those of the living stay', async () => {
  const { place } = newOwner();
  leave(`${lock}.${GONE}-1-${random}-${place}`, `${GONE}-1-${random}-${place}`);
  mkdirSync(`${lock}.${GONE}-2-${random}-${place}`);
  leave(`${lock}.${GONE}-3-${random}-${elsewhere}`, `${GONE}-3-${random}-${elsewhere}`, { ageMs: 61_000 });
  const living = newOwner().id;
  leave(`${lock}.${living}`, living);
  await withLock(file, () => {});
  expect(readdirSync(folder)).toEqual([`config.json.lock.${living}`]);
});

test('a symbolic link in place of the lock is refused, and what it leads to is left alone', async () => {
  const victim = join(folder, 'victim');
  const owner = `${GONE}-1-${random}-${newOwner().place}`;
  leave(victim, owner);
  symlinkSync('victim', lock);
  await expect(withLock(file, () => {})).rejects.toMatchObject({ code: 'write-failed', message: /not a lock/ });
  expect(readdirSync(victim)).toEqual([owner]);
});

test('a file in place of the lock is named at once', async () => {
  writeFileSync(lock, '');
  await expect(withLock(file, () => {})).rejects.toMatchObject({
    code: 'write-failed',
    hint: expect.stringContaining(lock),
  });
});

test('a directory with somebody else’s files is not emptied', async () => {
  mkdirSync(lock);
  writeFileSync(join(lock, 'thesis.txt'), '');
  await check('held');
  expect(existsSync(join(lock, 'thesis.txt'))).toBe(true);
});

test('a folder that is not there is named', async () => {
  const missing = join(folder, 'missing', 'config.json');
  await expect(withLock(missing, () => {})).rejects.toMatchObject({ code: 'write-failed', message: /folder vanished/ });
});

test('a lock is taken without waiting and kept, and the second learns who has it', async () => {
  const first = tryLock(file);
  expect(first.kind).toBe('taken');
  expect(tryLock(file)).toEqual({ kind: 'held', pid: process.pid });
  await check('held');
  if (first.kind === 'taken') for (let time = 0; time < 2; time++) first[Symbol.dispose]();
  await check('free');
  leave(lock, `${GONE}-1-${random}-${newOwner().place}`);
  expect(tryLock(file).kind).toBe('taken');
  expect(readdirSync(folder)).toEqual(['config.json.lock']);
  expect(() => tryLock(join(folder, 'missing', 'x'))).toThrow(/folder vanished/u);
});

test('an owner is read back from its name, and nothing else is an owner', () => {
  const owner = newOwner();
  expect(parseOwner(owner.id)).toEqual(owner);
  expect(newOwner().id).not.toBe(owner.id);
  for (const name of ['', '1', '.DS_Store', `${owner.id}.tmp`, `-${owner.id}`])
    expect(parseOwner(name)).toBeUndefined();
});

function startOf(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')[19]!;
}

function stateOf(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')[0]!;
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((done) => {
    child.stdout!.once('data', (data: Buffer) => done(data.toString()));
  });
}

/** Polls until the condition holds: for kernel changes that have no event. */
async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 300_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error('it did not happen');
    await new Promise(setImmediate);
  }
}
