import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newOwner } from '../files/lock-owner.js';
import { openWorkshop, type Workshop } from './process-fixtures.js';
import { currentBoot } from './process-journal.js';
import { clearLeftovers } from './process-leftovers.js';
import { MARK_VARIABLE } from './process-mark.js';
import { ProcessRegistry } from './process-registry.js';
import { ProcessSweeper } from './process-sweep.js';

let workshop: Workshop;
let folder: string;
beforeEach(() => {
  workshop = openWorkshop();
  folder = join(workshop.folder, 'processes');
  mkdirSync(folder);
});
afterEach(() => workshop[Symbol.dispose]());

const self = newOwner();
/** The id of a host with a pid that no system assigns. */
const GONE = newOwner().id.replace(/^\d+/, '4194999');
/** The id of a host whose pid is ours now, but which started earlier. */
const REPLACED = newOwner().id.replace(/^(\d+)-\d+/, '$1-1');
const RUNNING = newOwner().id;
const ELSEWHERE = GONE.replace(/[0-9a-f]{12}$/, '0'.repeat(12));

function startSleeper(host?: string): number {
  const env = { ...workshop.env, ...(host !== undefined && { [MARK_VARIABLE]: `${host}.1;` }) };
  return spawn('/bin/sleep', ['60'], { env, stdio: 'ignore', detached: true }).pid!;
}

function writeJournal(host: string, boot = currentBoot()): string {
  const name = `${host}.${boot}`;
  writeFileSync(join(folder, name), '', { mode: 0o600 });
  return name;
}

/** Checks which processes and journals remain after a host has started. */
async function checkLeft(living: readonly number[], journals: readonly string[]): Promise<void> {
  await clearLeftovers(folder, { self, sweeper: new ProcessSweeper() });
  expect(new Set(workshop.survivors())).toEqual(new Set(living));
  expect(readdirSync(folder)).toEqual(journals);
}

test.each([
  ['whose pid nobody has', GONE],
  ['whose pid is that of a later process', REPLACED],
])('what a host %s left is ended, and its journal goes', async (_title, host) => {
  startSleeper(host);
  startSleeper(host);
  writeJournal(host);
  await checkLeft([], []);
});

test('nothing is killed that has no mark, or that of a living host, or of a dead one without a journal', async () => {
  const others = [startSleeper(), startSleeper(RUNNING), startSleeper(REPLACED), startSleeper(`${GONE}0`)];
  writeJournal(GONE);
  await checkLeft(others, []);
});

test('a living host keeps its journal and its servers', async () => {
  const server = startSleeper(RUNNING);
  await checkLeft([server], [writeJournal(RUNNING)]);
});

test('a journal that pretends a living host were dead harms nobody', async () => {
  const server = startSleeper(RUNNING);
  writeJournal(RUNNING.replace(/^\d+/, '4194999'));
  await checkLeft([server], []);
});

test('after a restart of the machine a journal is only removed', async () => {
  const later = startSleeper(GONE);
  writeJournal(GONE, 'f'.repeat(12));
  await checkLeft([later], []);
});

test('what another container may still need stays for a week', async () => {
  const server = startSleeper(ELSEWHERE);
  const name = writeJournal(ELSEWHERE);
  await checkLeft([server], [name]);
  utimesSync(join(folder, name), 0, Date.now() / 1000 - 8 * 24 * 3600);
  await checkLeft([server], []);
});

test.each<[title: string, make: (path: string) => void]>([
  ['is a link to a file that matters', (path) => symlinkSync(join(workshop.folder, 'precious'), path)],
  ['is a pipe that nobody writes into', (path) => execFileSync('mkfifo', [path])],
  ['is huge and holds who knows what', (path) => writeFileSync(path, `${process.pid} 1\n`.repeat(500_000))],
])('a journal that %s does no harm and is removed', async (_title, make) => {
  const precious = join(workshop.folder, 'precious');
  writeFileSync(precious, 'keep');
  make(join(folder, `${GONE}.${currentBoot()}`));
  await checkLeft([startSleeper()], []);
  expect(existsSync(precious)).toBe(true);
});

test('what is not a journal stays', async () => {
  const names = ['notes.txt', `${GONE}.${currentBoot()}.bak`, `-1.${currentBoot()}`, 'x'.repeat(200)];
  for (const name of names) writeFileSync(join(folder, name), '');
  mkdirSync(join(folder, `${GONE}.${currentBoot()}`)); // a folder is not removed like a file, so it stays
  await clearLeftovers(folder, { self, sweeper: new ProcessSweeper() });
  expect(readdirSync(folder)).toHaveLength(5);
});

test('the journal of a host is private, there while it runs and gone when it is closed', async () => {
  const journal = join(workshop.folder, 'new', 'processes');
  const registry = new ProcessRegistry({ journal });
  const server = await workshop.start({ command: '/bin/cat', registry });
  const [name, ...more] = readdirSync(journal);
  expect(more).toEqual([]);
  expect(statSync(journal).mode & 0o777).toBe(0o700);
  expect(statSync(join(journal, name!)).mode & 0o777).toBe(0o600);
  await server[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
  expect(readdirSync(journal)).toEqual([]);
});

test('where nothing can be written a host runs all the same', async () => {
  const file = join(workshop.folder, 'file');
  writeFileSync(file, '');
  const registry = new ProcessRegistry({ journal: join(file, 'processes') });
  const server = await workshop.start({ command: '/bin/cat', registry });
  await server[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
  expect(await server.exited).toEqual({ code: 0, signal: null });
  expect(workshop.survivors()).toEqual([]);
});
