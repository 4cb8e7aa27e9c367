import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type House, openHouse } from '../../test/house.js';
import { choose } from './approval/approve.js';
import type { ConfigOptions } from './context.js';
import { configHash } from './entries/config-hash.js';
import { loadHostConfig } from './load.js';
import { localFile } from './scopes/local.js';
import { userFile } from './scopes/user.js';

const server = (word: string): object => ({ command: 'run', args: [word] });

/** Compares every definition with its scope and standing. */
async function check(house: House, expected: readonly string[], options?: ConfigOptions): Promise<void> {
  expect(await house.view(options)).toEqual(expected);
}

async function approve(house: House, name: string): Promise<void> {
  const { servers } = await house.load();
  const waiting = servers.find((candidate) => candidate.name === name && candidate.standing.kind === 'unapproved');
  await choose(house.context(), waiting!, { decision: 'approved', now: new Date(0) });
}

test('a name in five scopes connects once, by the strongest definition', async () => {
  using house = openHouse();
  house.write(localFile(house.context())!, { mcpServers: { a: server('local') } });
  house.write(join(house.project, '.mcp.json'), { mcpServers: { a: server('project') } });
  house.write(userFile(house.context())!, { mcpServers: { a: server('user') }, settings: { links: ['cursor'] } });
  house.write(join(house.home, '.cursor/mcp.json'), { mcpServers: { a: server('linked') } });
  await approve(house, 'a');
  const options = { mcpServers: ['a={"command":"dynamic"}'] };
  const rest = ['a project suppressed', 'a user suppressed', 'a linked suppressed'];
  await check(house, ['a dynamic ready', 'a local suppressed', ...rest], options);
  await check(house, ['a local ready', ...rest]);
  rmSync(localFile(house.context())!);
  await check(house, ['a project ready', 'a user suppressed', 'a linked suppressed']);
  rmSync(join(house.project, '.mcp.json'));
  await check(house, ['a user ready', 'a linked suppressed']);
});

test("a project's server that nobody approved stands in nobody's way", async () => {
  using house = openHouse();
  house.write(join(house.project, '.mcp.json'), { mcpServers: { a: server('project') } });
  house.write(userFile(house.context())!, { mcpServers: { a: server('user') } });
  await check(house, ['a project unapproved', 'a user ready']);
});

test('a repository cannot switch off a server of the user, approved or not', async () => {
  using house = openHouse();
  house.write(join(house.project, '.mcp.json'), { mcpServers: { a: { ...server('project'), disabled: true } } });
  house.write(userFile(house.context())!, { mcpServers: { a: server('user') } });
  await check(house, ['a project disabled', 'a user ready']);
  await check(house, ['a project disabled', 'a user ready'], { approveProject: true });
});

test('the user can switch off a server here that runs elsewhere', async () => {
  using house = openHouse();
  house.write(localFile(house.context())!, { mcpServers: { a: { ...server('local'), disabled: true } } });
  house.write(userFile(house.context())!, { mcpServers: { a: server('user') }, disabledMcpServers: ['b'] });
  house.write(join(house.project, '.mcp.json'), { mcpServers: { b: server('project') } });
  await check(house, ['a local disabled', 'b project disabled', 'a user suppressed']);
});

test('.mcp.json is read from the working directory and every parent; the nearest wins', async () => {
  using house = openHouse();
  const deep = join(house.project, 'packages/app');
  mkdirSync(deep, { recursive: true });
  house.write(join(deep, '.mcp.json'), { mcpServers: { a: server('near') } });
  house.write(join(house.project, '.plugboard/settings.json'), {
    mcpServers: { a: server('settings'), c: server('c') },
  });
  house.write(join(house.project, '.mcp.json'), { mcpServers: { a: server('middle'), b: server('b') } });
  house.write(join(house.root, 'work/.mcp.json'), { mcpServers: { a: server('far'), d: server('d') } });
  const { servers } = await house.load({ cwd: deep, approveProject: true });
  const running = servers.filter(({ standing }) => standing.kind === 'ready');
  expect(running.map(({ name, written }) => `${name} ${String((written!['args'] as string[])[0])}`)).toEqual([
    'a near',
    'b b',
    'c c',
    'd d',
  ]);
});

test.runIf(process.getuid?.() === 0)('a parent file that is not ours to trust is ignored with a warning', async () => {
  using house = openHouse();
  const foreign = house.write(join(house.root, 'work/.mcp.json'), { mcpServers: { a: server('a') } });
  chownSync(foreign, 12_345, 12_345);
  const loaded = await house.load();
  expect(loaded.servers).toEqual([]);
  expect(loaded.problems).toMatchObject([
    { code: 'ignored-file', file: foreign, message: expect.stringContaining('uid 12345') },
  ]);
});

test('a parent file in a folder that everyone may write to is ignored with a warning', async () => {
  using house = openHouse();
  const shared = house.write(join(house.root, 'work/.mcp.json'), { mcpServers: { a: server('a') } });
  chmodSync(join(house.root, 'work'), 0o1777);
  const loaded = await house.load();
  expect(loaded.servers).toEqual([]);
  expect(loaded.problems).toMatchObject([
    { code: 'ignored-file', file: shared, message: expect.stringContaining('everyone') },
  ]);
});

const edits: readonly (readonly [what: string, entry: object])[] = [
  ['the command', { command: 'cat', args: ['x'], env: { A: '1' } }],
  ['an argument', { command: 'ls', args: ['y'], env: { A: '1' } }],
  ['one more argument', { command: 'ls', args: ['x', 'z'], env: { A: '1' } }],
  ['a value of env', { command: 'ls', args: ['x'], env: { A: '2' } }],
  ['a name in env', { command: 'ls', args: ['x'], env: { B: '1' } }],
  ['cwd', { command: 'ls', args: ['x'], env: { A: '1' }, cwd: '/' }],
  ['a field nobody knows', { command: 'ls', args: ['x'], env: { A: '1' }, note: 'hi' }],
  ['the kind', { url: 'https://a.example/mcp' }],
];

test.each(edits)('after approval, changing %s asks again', async (_, entry) => {
  using house = openHouse();
  const file = join(house.project, '.mcp.json');
  house.write(file, { mcpServers: { a: { command: 'ls', args: ['x'], env: { A: '1' } } } });
  await approve(house, 'a');
  await check(house, ['a project ready']);
  house.write(file, { mcpServers: { a: entry } });
  await check(house, ['a project unapproved']);
});

test('a rotated secret, another order of fields and a comment do not ask again', async () => {
  using house = openHouse();
  const file = join(house.project, '.mcp.json');
  house.env['TOKEN'] = 'one';
  house.write(file, '{ "mcpServers": { "a": { "command": "ls", "env": { "TOKEN": "${TOKEN}" } } } }');
  await approve(house, 'a');
  const before = (await house.load()).servers[0]!.config!;
  house.env['TOKEN'] = 'two';
  house.write(file, '{ "mcpServers": { "a": { /* ! */ "env": { "TOKEN": "${TOKEN}" }, "command": "ls" } } }');
  await check(house, ['a project ready']);
  // The connection hash changes, because the server has to be restarted with the new secret.
  expect(configHash((await house.load()).servers[0]!.config!)).not.toBe(configHash(before));
});

test('another program behind the same command asks again', async () => {
  using house = openHouse();
  house.write(join(house.project, '.mcp.json'), { mcpServers: { a: { command: 'tool' } } });
  const put = (folder: string): void => {
    house.write(join(house.root, folder, 'tool'), '#!/bin/sh\n');
    chmodSync(join(house.root, folder, 'tool'), 0o755);
  };
  put('second');
  house.env['PATH'] = `${join(house.root, 'first')}:${join(house.root, 'second')}`;
  await approve(house, 'a');
  await check(house, ['a project ready']);
  put('first');
  await check(house, ['a project unapproved']);
});

test('the working directory is never on the way to a command, whatever PATH says', async () => {
  using house = openHouse();
  house.write(join(house.project, 'tool'), '#!/bin/sh\n');
  chmodSync(join(house.project, 'tool'), 0o755);
  house.write(join(house.project, '.mcp.json'), { mcpServers: { a: { command: 'tool' }, b: { command: './tool' } } });
  house.env['PATH'] = `:.:${house.root}`;
  const { servers } = await house.load();
  expect(servers.map(({ approval }) => approval?.commandPath)).toEqual([undefined, join(house.project, 'tool')]);
});

test('nothing in a repository approves itself', async () => {
  using house = openHouse();
  const selfMade = {
    enableAllProjectMcpServers: true,
    enabledMcpjsonServers: ['a'],
    trust: true,
    approveProject: true,
  };
  const file = { ...selfMade, settings: selfMade, mcpServers: { a: { ...server('a'), trust: true, approved: true } } };
  house.write(join(house.project, '.mcp.json'), file);
  house.write(join(house.project, '.plugboard/settings.json'), { ...selfMade, projects: {} });
  house.write(join(house.project, '.local/state/plugboard/approvals.json'), { projects: { [house.project]: {} } });
  await check(house, ['a project unapproved']);
  const { servers, problems } = await house.load({ approveProject: true });
  expect(servers[0]!.config?.trust).toBeUndefined();
  expect(problems).toContainEqual(expect.objectContaining({ code: 'ignored-field', field: 'trust' }));
});

test('an approval holds in its project only', async () => {
  using house = openHouse();
  const other = join(house.root, 'work/other');
  mkdirSync(join(other, '.git'), { recursive: true });
  for (const folder of [house.project, other])
    house.write(join(folder, '.mcp.json'), { mcpServers: { a: server('a') } });
  await approve(house, 'a');
  await check(house, ['a project ready']);
  await check(house, ['a project unapproved'], { cwd: other });
});

test('a damaged approvals file approves nothing and hides nothing', async () => {
  using house = openHouse();
  house.write(join(house.project, '.mcp.json'), { mcpServers: { a: server('a') } });
  house.write(userFile(house.context())!, { mcpServers: { u: server('u') } });
  await approve(house, 'a');
  house.write(join(house.home, '.local/state/plugboard/approvals.json'), '{ "projects": ');
  await check(house, ['a project unapproved', 'u user ready']);
  expect((await house.load()).problems).toMatchObject([{ code: 'approvals' }]);
});

test('with a managed file no other scope loads', async () => {
  using house = openHouse();
  house.write(join(house.managed, 'managed-mcp.json'), { mcpServers: { m: server('m') } });
  house.write(userFile(house.context())!, { mcpServers: { u: server('u') } });
  house.write(join(house.project, '.mcp.json'), { mcpServers: { p: server('p') } });
  await check(house, ['m enterprise ready']);
  const flagged = await house.load({ mcpConfig: ['{"mcpServers":{}}'], approveProject: true });
  expect(flagged.servers).toHaveLength(1);
  expect(flagged.problems).toMatchObject([
    { code: 'bad-argument', message: expect.stringContaining('when an enterprise MCP config is present') },
  ]);
});

test.each([
  ['half-written', '{ "mcpServers": '],
  ['empty', ''],
  ['of the wrong type', '[]'],
])('a managed file that is %s lets nothing run', async (_, text) => {
  using house = openHouse();
  house.write(join(house.managed, 'managed-mcp.json'), text);
  house.write(userFile(house.context())!, { mcpServers: { u: server('u') } });
  const loaded = await house.load();
  expect(loaded.servers).toEqual([]);
  expect(loaded.lock).toBe(join(house.managed, 'managed-mcp.json'));
  expect(loaded.problems[0]).toMatchObject({
    severity: 'error',
    message: expect.stringContaining('no server may run'),
  });
});

test('a managed folder instead of a file lets nothing run', async () => {
  using house = openHouse();
  mkdirSync(join(house.managed, 'managed-mcp.json'));
  house.write(userFile(house.context())!, { mcpServers: { u: server('u') } });
  expect((await house.load()).servers).toEqual([]);
});

test.each([
  ['unreadable', '{ "allowedMcpServers": '],
  ['with an unknown kind of entry', '{ "deniedMcpServers": [{ "serverHost": "x" }] }'],
  ['with a misspelt list', '{ "deniedMcpServer": [] }'],
  ['with a list that is none', '{ "deniedMcpServers": {} }'],
])('a managed policy that is %s denies everything and says why', async (_, text) => {
  using house = openHouse();
  house.write(join(house.managed, 'managed-settings.json'), text);
  house.write(userFile(house.context())!, { mcpServers: { u: server('u') } });
  const loaded = await house.load();
  expect(loaded.servers[0]!.standing).toMatchObject({ kind: 'denied', by: 'closed-policy' });
  expect(loaded.problems[0]).toMatchObject({
    code: 'policy-closed',
    file: join(house.managed, 'managed-settings.json'),
  });
});

test.each([
  ['is half-written', '{ "settings": { "deniedMcpServers": [{ "serverName": "p" }] '],
  ['has settings that are a list', '{ "settings": [{ "deniedMcpServers": [] }] }'],
])('a user file that %s and was to stop servers lets none run', async (_, text) => {
  using house = openHouse();
  house.write(join(house.project, '.mcp.json'), { mcpServers: { p: server('p') } });
  house.write(userFile(house.context())!, text);
  await check(house, ['p project denied'], { approveProject: true });
});

test('what the user switched off stays off while their file is broken', async () => {
  using house = openHouse();
  house.write(join(house.project, '.mcp.json'), { mcpServers: { p: server('p'), q: server('q') } });
  house.write(localFile(house.context())!, '{ "disabledMcpServers": ["p"], "mcpServers": { "a": ');
  await check(house, ['p project disabled', 'q project ready'], { approveProject: true });
});

test('a broken user file without any list leaves the other servers alone', async () => {
  using house = openHouse();
  house.write(join(house.project, '.mcp.json'), { mcpServers: { p: server('p') } });
  house.write(userFile(house.context())!, '{ "mcpServers": { "u": ');
  await check(house, ['p project ready'], { approveProject: true });
});

test('a policy is matched against the proxy that a server is really reached through', async () => {
  using house = openHouse();
  const proxied = { type: 'connector-proxy', url: 'https://good.example/mcp', proxyUrl: 'https://evil.example/mcp' };
  house.write(userFile(house.context())!, { mcpServers: { proxied } });
  const policy = join(house.managed, 'managed-settings.json');
  house.write(policy, { deniedMcpServers: [{ serverUrl: 'https://evil.example/*' }] });
  await check(house, ['proxied user denied']);
  house.write(policy, { allowedMcpServers: [{ serverUrl: 'https://good.example/*' }] });
  await check(house, ['proxied user denied']);
});

test("a user's allow list never widens the administrator's", async () => {
  using house = openHouse();
  house.write(join(house.managed, 'managed-settings.json'), { allowedMcpServers: [{ serverName: 'a' }] });
  const settings = { allowedMcpServers: [{ serverName: 'a' }, { serverName: 'b' }] };
  house.write(userFile(house.context())!, { mcpServers: { a: server('a'), b: server('b') }, settings });
  await check(house, ['a user ready', 'b user denied']);
});

test('a denied server is not run by another name either', async () => {
  using house = openHouse();
  house.write(userFile(house.context())!, {
    mcpServers: { bad: server('x'), renamed: server('x'), other: server('y') },
    settings: { deniedMcpServers: [{ serverName: 'bad' }] },
  });
  await check(house, ['bad user denied', 'renamed user denied', 'other user ready']);
});

test('--strict-mcp-config leaves nothing but what it came with', async () => {
  using house = openHouse();
  house.write(userFile(house.context())!, { mcpServers: { u: server('u') } });
  await check(house, [], { strict: true });
  await check(house, ['d dynamic ready'], { strict: true, mcpServers: ['d={"command":"x"}'] });
});

test('of two arguments the later one is stronger', async () => {
  using house = openHouse();
  const [first, second] = ['first', 'second'].map((word) => JSON.stringify({ mcpServers: { a: server(word) } }));
  const { servers } = await house.load({ mcpConfig: [first!, second!] });
  expect(servers.map(({ standing, written }) => [standing.kind, written!['args']])).toEqual([
    ['ready', ['second']],
    ['suppressed', ['first']],
  ]);
});

test('without a home folder, project and arguments still load', async () => {
  using house = openHouse();
  house.write(join(house.project, '.mcp.json'), { mcpServers: { a: server('a') } });
  const env = { PATH: '/usr/bin' };
  // The system knows a home folder for this uid; a relative HOME counts as none.
  await check(house, ['a project unapproved'], { env: { ...env, HOME: 'relative' } });
});

test.each([
  ['a missing folder', (house: House) => join(house.root, 'nowhere')],
  ['a cyclic link', (house: House) => (symlinkSync('loop', join(house.root, 'loop')), join(house.root, 'loop'))],
  ['a file', (house: House) => house.write(join(house.root, 'file'), 'x')],
])('%s as the working directory is a problem, and the user still has their servers', async (_, cwd) => {
  using house = openHouse();
  house.write(userFile(house.context())!, { mcpServers: { u: server('u') } });
  const loaded = await house.load({ cwd: cwd(house) });
  expect(loaded.servers.map(({ name }) => name)).toEqual(['u']);
  expect(loaded.problems).toHaveLength(1);
});

test('a FIFO, a device and a folder in place of .mcp.json never hang and hide nothing', async () => {
  for (const make of [
    (path: string) => void execFileSync('mkfifo', [path]),
    (path: string) => symlinkSync('/dev/zero', path),
    (path: string) => mkdirSync(path),
  ]) {
    using house = openHouse();
    make(join(house.project, '.mcp.json'));
    house.write(userFile(house.context())!, { mcpServers: { u: server('u') } });
    const loaded = await house.load();
    expect(loaded.servers.map(({ name }) => name)).toEqual(['u']);
    expect(loaded.problems).toMatchObject([{ severity: 'error', file: join(house.project, '.mcp.json') }]);
  }
});

test('a file of 100 MB is refused by its size, named, and hides nothing', async () => {
  using house = openHouse();
  const file = house.write(join(house.project, '.mcp.json'), '{}');
  truncateSync(file, 100_000_000);
  house.write(userFile(house.context())!, { mcpServers: { u: server('u') } });
  const loaded = await house.load();
  expect(loaded.servers.map(({ name }) => name)).toEqual(['u']);
  expect(loaded.problems).toMatchObject([{ severity: 'error', file, message: expect.stringContaining('100000000') }]);
});

test('a symlinked file is read, and named by the path people know', async () => {
  using house = openHouse();
  house.write(join(house.root, 'dotfiles/config.json'), { mcpServers: { u: server('u') } });
  mkdirSync(join(house.home, '.config/plugboard'), { recursive: true });
  symlinkSync(join(house.root, 'dotfiles/config.json'), userFile(house.context())!);
  const { servers } = await house.load();
  expect(servers).toMatchObject([{ name: 'u', origin: userFile(house.context()) }]);
});

test('loading never throws, whatever it is told', async () => {
  const odd = {
    cwd: '',
    env: {},
    mcpConfig: ['', '{', '[]', '/nonexistent', '{"mcpServers":7}'],
    mcpServers: ['', '=', 'a', 'a={', 'a=7'],
  };
  const loaded = await loadHostConfig({ ...odd, managedDirectories: ['/nonexistent'] });
  expect(loaded.servers.filter(({ standing }) => standing.kind === 'ready')).toEqual([]);
  expect(loaded.problems.filter(({ code }) => code === 'bad-argument').length).toBeGreaterThanOrEqual(8);
});
