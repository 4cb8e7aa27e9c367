import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HostError } from '../../base/errors.js';
import { type CgroupTexts, findCgroup, placesUpward, readCgroupTexts } from './cgroup-place.js';
import { systemClock } from '../clock.js';
import { type LimitGroup, type Limits, openLimitGroup } from './limit-group.js';
import { noLimits } from './sandbox-fixtures.js';

/** Creates folders that look like control groups: file texts by path. */
function makeFolders(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'plugboard-cgroup-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const open = (limits: Limits, texts: CgroupTexts): LimitGroup =>
  openLimitGroup(limits, { name: 'db', texts, clock: systemClock });

function refusal(limits: Limits, texts: CgroupTexts): HostError {
  try {
    open(limits, texts);
  } catch (error) {
    if (error instanceof HostError) return error;
  }
  throw new Error('expected a HostError');
}

const oldMounts = (root: string): string =>
  ['memory', 'pids'].map((name) => `30 20 0:1 / ${root}/${name} rw - cgroup cgroup rw,${name}`).join('\n');
const newMount = (root: string): string => `30 20 0:1 / ${root} rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate`;

test.each<[what: string, texts: CgroupTexts, expected: object | undefined]>([
  [
    'version 1',
    { cgroup: '4:memory:/a/b\n3:cpu,cpuacct:/\n0::/x', mountinfo: '1 1 0:1 / /cg/memory rw - cgroup cgroup rw,memory' },
    { version: 1, folder: '/cg/memory/a/b', top: '/cg/memory' },
  ],
  [
    'version 2',
    { cgroup: '0::/user.slice/me', mountinfo: '1 1 0:1 / /cg rw shared:4 - cgroup2 cgroup2 rw' },
    { version: 2, folder: '/cg/user.slice/me', top: '/cg' },
  ],
  [
    'both: version 1 has it',
    {
      cgroup: '4:memory:/m\n0::/u',
      mountinfo: '1 1 0:1 / /cg/unified rw - cgroup2 cgroup2 rw\n1 1 0:1 / /cg/memory rw - cgroup cgroup rw,memory',
    },
    { version: 1, folder: '/cg/memory/m', top: '/cg/memory' },
  ],
  [
    'a part that is mounted, and a blank in its path',
    { cgroup: '0::/docker/1/sub', mountinfo: '1 1 0:1 /docker/1 /c\\040g rw - cgroup2 cgroup2 rw' },
    { version: 2, folder: '/c g/sub', top: '/c g' },
  ],
  ['outside of what is mounted', { cgroup: '0::/b', mountinfo: '1 1 0:1 /a /cg rw - cgroup2 cgroup2 rw' }, undefined],
  ['above its namespace', { cgroup: '0::/../b', mountinfo: '1 1 0:1 / /cg rw - cgroup2 cgroup2 rw' }, undefined],
  ['nothing', { cgroup: '', mountinfo: '' }, undefined],
  ['nonsense', { cgroup: '::::\n\n7\n', mountinfo: ' - \nx - cgroup2' }, undefined],
])('the group of this process is found: %s', (_, texts, expected) => {
  expect(findCgroup('memory', texts)).toEqual(expected);
});

test('groups above are those up to the topmost', () => {
  expect(placesUpward({ version: 2, folder: '/cg/a/b', top: '/cg' })).toEqual(['/cg/a/b', '/cg/a', '/cg']);
  expect(placesUpward({ version: 2, folder: '/cg', top: '/cg' })).toEqual(['/cg']);
});

test('version 1: a group for each limit, below our own', () => {
  const root = makeFolders({ 'memory/own/x': '', 'pids/x': '' });
  const group = open(
    { memoryMb: 64, processes: 10 },
    { cgroup: '1:memory:/own\n2:pids:/', mountinfo: oldMounts(root) },
  );
  const [memory, pids] = group.entrances.map((file) => join(file, '..'));
  expect(memory!.startsWith(`${root}/memory/own/plugboard-${process.pid}-`)).toBe(true);
  expect(readFileSync(join(memory!, 'memory.limit_in_bytes'), 'utf8')).toBe('67108864');
  expect(readFileSync(join(pids!, 'pids.max'), 'utf8')).toBe('12');
  expect(group.ranOutOfMemory()).toBe(false);
  writeFileSync(join(memory!, 'memory.oom_control'), 'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n');
  expect(group.ranOutOfMemory()).toBe(true);
});

test('version 2: one group with both limits, in the nearest place where both are delegated', () => {
  const root = makeFolders({
    'app/own/cgroup.subtree_control': '',
    'app/own/cgroup.procs': '',
    'app/cgroup.subtree_control': 'cpu memory pids\n',
    'app/cgroup.procs': '',
    'cgroup.subtree_control': 'cpu memory pids\n',
    'cgroup.procs': '',
  });
  // The kernel refuses controllers for a group with processes; a plain file would not, so it is removed.
  rmSync(join(root, 'app/own/cgroup.subtree_control'));
  const group = open({ memoryMb: 64, processes: 10 }, { cgroup: '0::/app/own', mountinfo: newMount(root) });
  expect(group.entrances).toHaveLength(1);
  const folder = join(group.entrances[0]!, '..');
  expect(folder.startsWith(`${root}/app/plugboard-`)).toBe(true);
  expect(readdirSync(folder).toSorted()).toEqual(['memory.max', 'pids.max']);
  writeFileSync(join(folder, 'memory.events'), 'low 0\noom 2\noom_kill 1\noom_group_kill 1\n');
  expect(group.ranOutOfMemory()).toBe(true);
});

test.each<[what: string, limits: Limits, files: Readonly<Record<string, string>>, message: string]>([
  [
    'no controller',
    { memoryMb: 64 },
    {},
    'Server "db" cannot be limited to 64 MB of memory: there is no cgroup controller "memory" here',
  ],
  [
    'one that is not delegated',
    { processes: 10 },
    { 'own/cgroup.procs': '', 'cgroup.subtree_control': 'memory', 'cgroup.procs': '' },
    'Server "db" cannot be limited to 10 processes: the cgroup controller "pids" is not delegated to any group of ours above ROOT/own',
  ],
])('where there is %s the server is refused, by the name of the limit', (what, limits, files, message) => {
  const root = makeFolders(files);
  const mountinfo = what === 'no controller' ? '' : newMount(root);
  const error = refusal(limits, { cgroup: '0::/own', mountinfo });
  expect([error.code, error.message.replaceAll(root, 'ROOT')]).toEqual(['sandbox-unavailable', message]);
  expect(error.hint).toContain(what === 'no controller' ? 'control groups' : 'systemd-run');
});

test('a folder that cannot be written to is named, and nothing half-made is left', () => {
  const root = makeFolders({ 'memory/x': '' });
  const error = refusal({ memoryMb: 64, processes: 5 }, { cgroup: '1:memory:/\n2:pids:/', mountinfo: oldMounts(root) });
  expect(error.message).toMatch(
    /cannot be limited to 5 processes: .*\/pids\/plugboard-\S+ cannot be set up \(ENOENT\)$/u,
  );
});

const missing = await noLimits();
const title = missing === undefined ? '' : ` (${missing})`;

test.skipIf(missing !== undefined)(
  `a group goes when it is disposed of, and one that a dead host left with the next${title}`,
  async () => {
    const texts = readCgroupTexts();
    const first = open({ processes: 5 }, texts);
    const folder = join(first.entrances[0]!, '..');
    // No process has a pid this high.
    const left = join(folder, '..', 'plugboard-999999999-0123456789ab');
    mkdirSync(left);
    await using second = open({ processes: 5 }, texts);
    expect([existsSync(left), existsSync(folder)]).toEqual([false, true]);
    await first[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
    expect([existsSync(folder), second.entrances.every((file) => existsSync(file))]).toEqual([false, true]);
  },
);
