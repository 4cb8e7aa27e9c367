import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { newOwner } from '../files/lock-owner.js';
import { openWorkshop, readAll, reapersOf, type Workshop } from './process-fixtures.js';
import { readStat } from './process-stat.js';
import { Reaper, REAPER_SCRIPT, type StartedGroup } from './reaper.js';
import { findStrayDescriptors } from './stray-descriptors.js';
import { DIAGNOSED } from '../../../test/wait-limits.js';

let workshop: Workshop;
/** Reapers of hosts that other tests of this process have left open. */
let others: ReadonlySet<number>;
beforeEach(() => {
  workshop = openWorkshop();
  others = new Set(reapersOf(process.pid));
});
afterEach(() => workshop[Symbol.dispose]());

/** Starts a group of one process without a host's mark. */
function startGroup(): StartedGroup {
  const { pid } = spawn('/bin/sleep', ['60'], { env: workshop.env, stdio: 'ignore', detached: true });
  return { pid: pid!, started: readStat(pid!)!.started };
}

/** The reapers that this test has started. */
function ownReapers(): number[] {
  return reapersOf(process.pid).filter((pid) => !others.has(pid));
}

/** Starts a reaper for these groups. */
function openReaper(groups: readonly StartedGroup[]): { reaper: Reaper; pid: number } {
  const before = new Set(reapersOf(process.pid));
  const reaper = new Reaper({ host: newOwner(), journal: '', stray: findStrayDescriptors });
  groups.forEach((group, index) => reaper.add(group, groups.slice(0, index + 1)));
  const [pid] = reapersOf(process.pid).filter((found) => !before.has(found));
  return { reaper, pid: pid! };
}

test('a reaper ignores polite signals, holds nothing of ours, and goes at our goodbye without harm', async () => {
  const group = startGroup();
  const { reaper, pid } = openReaper([group]);
  await vi.waitFor(() => expect(readFileSync(`/proc/${pid}/status`, 'latin1')).toMatch(/^State:\tS/m), DIAGNOSED);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.kill(pid, signal);
  const open = readdirSync(`/proc/${pid}/fd`).map((name) => readlinkSync(`/proc/${pid}/fd/${name}`));
  expect(open.map((target) => target.replace(/\d+/, 'N'))).toEqual([
    'socket:[N]',
    ...open.slice(1).map(() => '/dev/null'),
  ]);
  expect(readFileSync(`/proc/${pid}/environ`, 'latin1')).not.toContain('PLUGBOARD');
  expect(readlinkSync(`/proc/${pid}/cwd`)).toBe('/');
  expect(readStat(pid)!.group).toBe(pid);
  reaper[Symbol.dispose]();
  await vi.waitFor(() => expect(readStat(pid)).toBeUndefined(), DIAGNOSED);
  expect(workshop.survivors()).toEqual([group.pid]);
});

test('one that somebody killed is replaced at the next start, and told of all that runs', async () => {
  const groups = [startGroup(), startGroup()];
  const first = openReaper([groups[0]!]);
  process.kill(first.pid, 'SIGKILL');
  await vi.waitFor(() => expect(readStat(first.pid)).toBeUndefined(), DIAGNOSED);
  await vi.waitFor(() => {
    first.reaper.add(groups[1]!, groups); // its exit event has to come first
    expect(ownReapers()).toHaveLength(1);
  }, DIAGNOSED);
  first.reaper[Symbol.dispose]();
  await vi.waitFor(() => expect(ownReapers()).toEqual([]), DIAGNOSED);
  expect(workshop.survivors()).toHaveLength(2);
});

test('one that somebody stopped is given up before much waits for it, and harms nobody', async () => {
  const group = startGroup();
  const { reaper, pid } = openReaper([group]);
  process.kill(pid, 'SIGSTOP');
  for (let count = 0; count < 100_000; count++) reaper.delete(count + 5_000_000);
  await vi.waitFor(() => expect(readStat(pid)).toBeUndefined(), DIAGNOSED);
  expect(workshop.survivors()).toEqual([group.pid]);
});

type Told = (own: StartedGroup, other: StartedGroup) => string[];
type Left = 'both' | 'own' | 'none';

/** Runs a host that sends these lines to its reaper and dies; checks which group survives. */
async function check(told: Told, expected: Left): Promise<void> {
  const [own, other] = [startGroup(), startGroup()];
  // The host id is one of this process, by which the reaper is found.
  const source = `import { Reaper } from './reaper.js';
    const reaper = new Reaper({ host: ${JSON.stringify(newOwner())}, journal: '', stray: () => [] });
    for (const line of ${JSON.stringify(told(own, other))}) {
      const [verb, pid, started] = line.split(' ');
      const group = { pid: Number(pid), started };
      if (verb === 'start') reaper.add(group, [group]);
      else reaper.delete(group.pid);
    }
    process.kill(process.pid, 'SIGKILL');`;
  const host = spawn(process.execPath, [await workshop.bundle(source)], { env: workshop.env, stdio: 'ignore' });
  await once(host, 'exit');
  await vi.waitFor(() => expect(ownReapers()).toEqual([]), DIAGNOSED);
  const left = { both: [own.pid, other.pid], own: [own.pid], none: [] }[expected];
  expect(new Set(workshop.survivors())).toEqual(new Set(left));
}

const start = ({ pid, started }: StartedGroup): string => `start ${pid} ${started}`;

test.each<[title: string, told: Told, expected: Left]>([
  ['ends the groups that it was told of', (own, other) => [start(own), start(other)], 'none'],
  [
    'leaves a group that has ended before, whoever has its number now',
    (own, other) => [start(own), start(other), `end ${own.pid}`],
    'own',
  ],
  [
    'leaves a group whose number is that of a later process',
    (own, other) => [`start ${own.pid} 12345`, start(other)],
    'own',
  ],
  [
    'is not confused by numbers that it does not know',
    (own) => [start(own), 'end 1', `end ${own.pid}`, 'end 2'],
    'both',
  ],
])('after the host has died, the reaper %s', (_title, told, expected) => check(told, expected));

test.each([
  ['a whole mark', newOwner().id, 0],
  ['nothing', '', 1],
  ['a text that is in every environment', 'PATH', 1],
  ['a short one of the right letters', 'abc', 1],
  ['only the pid of a host', `${process.pid}-`, 1],
])('given %s to look for, the script ends with the right code', async (_title, mark, expected) => {
  // In a pid namespace of its own: a script that took any text would kill all processes that have it.
  const args = ['--map-root-user', '--pid', '--fork', '--mount-proc', '/bin/sh', '-c', REAPER_SCRIPT, 'sh', mark, ''];
  const script = spawn('unshare', args, { env: workshop.env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [[code], said] = await Promise.all([once(script, 'exit'), readAll(script.stderr)]);
  if (said.startsWith('unshare:')) return; // not allowed here, so the script has not run
  expect(code).toBe(expected);
});
