import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
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
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.js';
import { newOwner } from '../files/lock-owner.js';
import { openWorkshop, readAll } from '../processes/process-fixtures.js';
import { type SpillFolder, spillFolder, type SpillFolderOptions } from './spill-folder.js';

const NOW = Date.now(); // the file system's clock as well
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MB = 1_048_576;

interface Scene {
  readonly root: string;
  readonly open: (options?: SpillFolderOptions) => SpillFolder;
  /** Writes a file of this name, so many hours old. */
  readonly put: (name: string, file: { hours: number; bytes?: number }) => string;
  readonly names: () => readonly string[];
}

function openScene({ mb = 1, days = 7, folder = 'results' } = {}): Scene {
  const root = join(realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-bound-'))), folder);
  const opened: SpillFolder[] = [];
  const limits = { bytes: mb * MB, ageMs: days * DAY };
  onTestFinished(async () => {
    for (const store of opened) await store[Symbol.asyncDispose]();
    rmSync(join(root, '..'), { recursive: true, force: true });
  });
  return {
    root,
    open(options) {
      const store = spillFolder(root, { limits: () => limits, now: () => NOW, ...options });
      opened.push(store);
      return store;
    },
    put(name, { hours, bytes = 1 }) {
      mkdirSync(root, { recursive: true, mode: 0o700 });
      const path = join(root, name);
      writeFileSync(path, Buffer.alloc(bytes));
      age(path, hours);
      return path;
    },
    names: () => readdirSync(root).filter((name) => !/^(?:\.count|live-)/u.test(name)),
  };
}

function age(path: string, hours: number): void {
  utimesSync(path, (NOW - hours * HOUR) / 1_000, (NOW - hours * HOUR) / 1_000);
}

async function save(store: SpillFolder, bytes: number): Promise<string> {
  const file = store.open('txt');
  await file.write(Buffer.alloc(bytes));
  return file.end();
}

/** What is on the disk: a file that waits for room has a size and no bytes. */
function bytesIn(folder: string): number {
  const sizes = readdirSync(folder).map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false }));
  return sizes.reduce((sum, found) => sum + Math.min(found?.size ?? 0, (found?.blocks ?? 0) * 512), 0);
}

const old = (letter: string): string => `20261101T100000Z-${letter.repeat(12)}.txt`;

test('a file has a name of ours, with its time, and is for the user alone', async () => {
  const { root, open, names } = openScene();
  const file = open({ now: () => Date.parse('2026-11-15T10:00:00Z') }).open('json');
  await file.write(Buffer.from('{}'));
  const path = await file.end();
  expect(basename(path)).toMatch(/^20261115T100000Z-[0-9a-f]{12}\.json$/u);
  expect([statSync(path).mode & 0o777, statSync(root).mode & 0o777]).toEqual([0o600, 0o700]);
  await file.discard();
  expect(names()).toEqual([]);
});

test('a folder that others could look into is closed to them', async () => {
  const { root, open } = openScene();
  mkdirSync(root);
  chmodSync(root, 0o755);
  await save(open(), 1);
  expect(statSync(root).mode & 0o777).toBe(0o700);
});

test.each(['txt', undefined])(
  'a link in place of the folder is refused for %s, nothing is written there',
  async (type) => {
    const { root, open } = openScene();
    mkdirSync(`${root}-elsewhere`);
    symlinkSync(`${root}-elsewhere`, root);
    const file = open().open(type);
    await file.write(Buffer.from('x'));
    await expect(file.end()).rejects.toMatchObject({ code: 'write-failed', message: /no folder, or a link to one/u });
    expect(readdirSync(`${root}-elsewhere`)).toEqual([]);
  },
);

test('files that are too old go: those of ours, and no others', async () => {
  const { root, open, put, names } = openScene();
  put(old('0'), { hours: 8 * 24 });
  put(`${old('1')}.part`, { hours: 2 });
  put('result-0123456789abcdef', { hours: 8 * 24 });
  put(old('2'), { hours: 6 * 24 });
  put(`${old('3')}.part`, { hours: 0.5 });
  put('notes.txt', { hours: 80 * 24 });
  put(`${old('4')}.bak`, { hours: 80 * 24 });
  symlinkSync(join(root, 'notes.txt'), join(root, 'result-ffffffffffffffff'));
  mkdirSync(join(root, 'result-eeeeeeeeeeeeeeee'));
  await open().tidied();
  expect(names().toSorted()).toEqual(
    [
      old('2'),
      `${old('3')}.part`,
      `${old('4')}.bak`,
      'notes.txt',
      'result-eeeeeeeeeeeeeeee',
      'result-ffffffffffffffff',
    ].toSorted(),
  );
});

test('a host that saves nothing deletes what gets too old while it is open', async () => {
  const clock = new FakeClock();
  const { put, open } = openScene();
  const path = put(old('0'), { hours: 7 * 24 - 0.5 });
  open({ clock, now: () => NOW + clock.monotonic() });
  await clock.pass(HOUR);
  await expect.poll(() => existsSync(path)).toBe(false);
});

test('however much is saved, there is never more than the bound, and the newest is there', async () => {
  const { root, open, names } = openScene();
  const store = open();
  let newest = '';
  for (let round = 0; round < 60; round++) {
    newest = await save(store, 100_000);
    expect(bytesIn(root)).toBeLessThan(MB);
    expect(existsSync(newest)).toBe(true);
  }
  expect(names().length).toBeGreaterThan(7);
  const together = await Promise.all(Array.from({ length: 40 }, () => save(store, 100_000)));
  expect(bytesIn(root)).toBeLessThan(MB);
  expect(together.filter((path) => existsSync(path)).length).toBeGreaterThan(4);
});

test('files are looked at only when there is no room, not for each that is saved', async () => {
  const { root, open } = openScene({ mb: 16 });
  let time = NOW;
  const store = open({ now: () => time++ });
  const counts = new Set<string>();
  for (let round = 0; round < 1_000; round++) {
    await save(store, 50_000);
    counts.add(readFileSync(join(root, '.count'), 'latin1').slice(0, 96));
  }
  expect(bytesIn(root)).toBeLessThan(16 * MB);
  expect(counts.size).toBeLessThan(1_000 / ((16 * MB) / 8 / 53_248) + 3); // every eighth of the bound
});

test('what a host has left unfinished that was killed takes no room from others', async () => {
  const { root, open, put } = openScene();
  const part = put(`20261119T100000Z-3333${'0'.repeat(8)}.txt.part`, { hours: 0.1, bytes: MB - 100_000 });
  const other = put(`20261119T100000Z-4444${'0'.repeat(8)}.txt.part`, { hours: 0.1, bytes: 10 });
  const { pid } = spawnSync('true');
  writeFileSync(join(root, `live-3333-${newOwner().id.replace(/^\d+/u, String(pid))}`), '');
  const path = await save(open(), 500_000);
  expect([path, part, other].map((file) => existsSync(file))).toEqual([true, false, true]);
});

test('many small files are not kept either: each counts as 32 KB', async () => {
  const { open, names } = openScene();
  const store = open();
  for (let round = 0; round < 100; round++) await save(store, 10);
  expect(names().length).toBeLessThanOrEqual(32);
  for (let round = 0; round < 100; round++) await store.open().end();
  expect(names().length).toBeLessThanOrEqual(32);
});

test('the files of a host that is open are deleted after those of hosts that are not', async () => {
  const { open } = openScene();
  const [mine, other] = [open(), open()];
  const first = await save(mine, 60_000);
  const theirs: string[] = [];
  for (let round = 0; round < 4; round++) theirs.push(await save(other, 60_000));
  for (const [at, path] of [first, ...theirs].entries()) age(path, 9 - at);
  await other[Symbol.asyncDispose]();
  for (let round = 0; round < 14; round++) await save(mine, 60_000);
  expect(existsSync(first)).toBe(true);
  expect(theirs.map((path) => existsSync(path))).toEqual([false, false, false, expect.any(Boolean)]);
  for (let round = 0; round < 14; round++) await save(mine, 60_000);
  expect(existsSync(first)).toBe(false);
});

test('what another host has written since counts as well', async () => {
  const { root, open } = openScene();
  const hosts = [open(), open(), open()];
  for (let round = 0; round < 60; round++) {
    await save(hosts[round % 3]!, 90_000);
    expect(bytesIn(root)).toBeLessThan(MB);
  }
});

test('one result that is larger than the bound is refused, and what was saved before stays', async () => {
  const { open, names } = openScene();
  const store = open();
  const before = await save(store, 100_000);
  await expect(save(store, 2 * MB)).rejects.toMatchObject({
    code: 'answer-too-large',
    message: /larger than the 1 MB/u,
  });
  expect(existsSync(before)).toBe(true);
  const file = store.open(); // as it comes from a server, in pieces
  for (let round = 0; round < 40; round++) await file.write(Buffer.alloc(65_536));
  await expect(file.end()).rejects.toMatchObject({ code: 'answer-too-large', hint: /"mb" of "results"/u });
  expect(names().filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('where unfinished files take all the room the next one is refused, and taken later', async () => {
  const { root, open } = openScene();
  const store = open();
  const parts = Array.from({ length: 6 }, () => store.open());
  for (const part of parts) {
    await part.write(Buffer.alloc(130_000));
    await part.write(Buffer.alloc(1));
  }
  await expect.poll(() => bytesIn(root)).toBeGreaterThan(600_000);
  await expect(save(store, 500_000)).rejects.toMatchObject({ code: 'write-failed', message: /already take the 1 MB/u });
  for (const part of parts) await part.discard();
  expect(existsSync(await save(store, 500_000))).toBe(true);
});

test.each<[string, (path: string) => void]>([
  ['a link', (path) => symlinkSync(join(path, '..', 'notes.txt'), path)],
  ['a link to nothing', (path) => symlinkSync('/nonexistent/x', path)],
  ['a pipe', (path) => expect(spawnSync('mkfifo', [path]).status).toBe(0)],
  ['text', (path) => writeFileSync(path, 'x'.repeat(1_000))],
  ['a head with less than there is', (path) => writeFileSync(path, '{"units":-5000,"from":96,"at":1}'.padEnd(96))],
  ['a head of another count', (path) => writeFileSync(path, '{"units":1,"from":5000,"at":1}'.padEnd(96))],
  ['half a head', (path) => writeFileSync(path, '{"units":1,')],
])('the bound holds with %s in place of the count', async (_, plant) => {
  const { root, open, put } = openScene();
  put('notes.txt', { hours: 1 });
  put(old('0'), { hours: 1, bytes: MB - 100_000 });
  plant(join(root, '.count'));
  const path = await save(open(), 150_000);
  expect([existsSync(path), existsSync(join(root, old('0')))]).toEqual([true, false]);
  expect(readFileSync(join(root, 'notes.txt'))).toEqual(Buffer.alloc(1));
});

test('a count that has become long is cut, and the bound holds on', async () => {
  const { root, open } = openScene();
  const store = open();
  await save(store, 100_000);
  const count = join(root, '.count');
  writeFileSync(count, Buffer.alloc(5_000_000, '+'), { flag: 'a' });
  for (let round = 0; round < 30; round++) {
    await save(store, 100_000);
    expect(bytesIn(root) - statSync(count).size).toBeLessThan(MB);
  }
  expect(statSync(count).size).toBeLessThan(10_000);
});

test('a folder in place of the count is told, with what to do', async () => {
  const { root, open } = openScene();
  mkdirSync(join(root, '.count'), { recursive: true });
  await expect(save(open(), 10)).rejects.toMatchObject({ code: 'write-failed', hint: /^Move it away: mv /u });
});

test('a folder that vanishes between two results is made again', async () => {
  const { root, open, names } = openScene();
  const store = open();
  await save(store, 100_000);
  rmSync(root, { recursive: true });
  await save(store, 100_000);
  expect(names()).toHaveLength(1);
});

test('files that vanish while they are counted do no harm', async () => {
  const { root, open, put } = openScene();
  const store = open();
  for (let at = 0; at < 200; at++)
    put(`20261114T100000Z-${String(at).padStart(12, '0')}.txt`, { hours: 1, bytes: 9_000 });
  const saving = save(store, 100_000);
  for (const name of readdirSync(root)) if (name.startsWith('20261114')) rmSync(join(root, name), { force: true });
  expect(existsSync(await saving)).toBe(true);
});

test('a clock that was set back neither keeps files for ever nor deletes new ones', async () => {
  const { open, put } = openScene();
  const path = put(old('0'), { hours: -5_000 });
  await open().tidied();
  expect(existsSync(path)).toBe(true);
  await open({ now: () => NOW + 8 * DAY }).tidied();
  expect(existsSync(path)).toBe(false);
});

test('counts of a day that has not come yet are made again', async () => {
  const { root, open, put } = openScene();
  const store = open({ now: () => NOW + 900 * DAY });
  await save(store, 10);
  const path = put(old('0'), { hours: 8 * 24 });
  const later = open();
  await save(later, 10);
  await later[Symbol.asyncDispose](); // waits for the count
  expect([existsSync(path), readFileSync(join(root, '.count'), 'latin1')]).toEqual([
    false,
    expect.stringContaining(`"at":${NOW}`),
  ]);
});

test('processes that share the folder stay within the bound together at every moment', async () => {
  const { root, open, names } = openScene({ mb: 4 });
  using workshop = openWorkshop();
  const program = await workshop.bundle(`
    import { spillFolder } from '../spill/spill-folder.js';
    const limits = () => ({ bytes: ${4 * MB}, ageMs: ${7 * DAY} });
    const store = spillFolder(${JSON.stringify(root)}, { limits });
    let failed = 0;
    const lane = async (seed) => {
      for (let round = 0; round < 60; round++) {
        const file = store.open(round % 2 === 0 ? 'txt' : undefined);
        for (let piece = 0; piece <= (round * seed) % 5; piece++) await file.write(Buffer.alloc(20_000 * seed));
        await file.end().catch(() => failed++);
      }
    };
    await Promise.all([lane(1), lane(2), lane(4)]);
    console.log(JSON.stringify({ failed }));
    process.kill(process.pid, 'SIGKILL'); // without a word of farewell
  `);
  const writers = Array.from({ length: 3 }, () =>
    spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  const said = Promise.all(writers.map(({ stdout }) => readAll(stdout)));
  const writing = new Set(writers);
  const ended = writers.map((writer) => once(writer, 'exit').then(() => writing.delete(writer)));
  let most = 0;
  let samples = 0;
  while (writing.size > 0) {
    most = Math.max(
      most,
      heldStill(writers, () => (existsSync(root) ? bytesIn(root) : 0)),
    );
    if (most > 0) samples++;
    await new Promise((resolve) => setTimeout(resolve, 20)); // in which the writers move
  }
  await Promise.all(ended);
  expect(most).toBeLessThanOrEqual(4 * MB);
  expect([most > 2 * MB, samples > 3]).toEqual([true, true]);
  expect((await said).map((line) => JSON.parse(line) as unknown)).toEqual(writers.map(() => ({ failed: 0 })));
  // Those who ended first were noticed by the others.
  expect(readdirSync(root).filter((name) => name.startsWith('live-')).length).toBeGreaterThan(0);
  await open().tidied();
  expect(readdirSync(root).filter((name) => name.startsWith('live-'))).toEqual([]);
  expect(names().length).toBeGreaterThan(10);
}, 60_000);

/** Looks while no process moves: once two looks one after the other have found the same. */
function heldStill(processes: readonly ChildProcess[], look: () => number): number {
  for (const one of processes) one.kill('SIGSTOP');
  try {
    for (let before = -1, now = look(); ; before = now, now = look()) if (before === now) return now;
  } finally {
    for (const one of processes) one.kill('SIGCONT');
  }
}
