import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NO_PERMISSIONS } from '../model/permissions/settings.js';
import { accountName, addAccount, removeAccount, splitAccount } from './accounts.js';
import { choose, toApprovalRequest } from './approval/approve.js';
import { type ConfigContext, openContext } from './context.js';
import { loadHostConfig } from './load.js';

let home = '';
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'plugboard-accounts-'))));
afterEach(() => rmSync(home, { recursive: true }));

const options = (): { readonly env: Record<string, string>; readonly cwd: string } => ({
  env: { HOME: home, PATH: '' },
  cwd: home,
});
const context = (): ConfigContext => openContext(options());
const file = (): string => join(home, '.local/state/plugboard/accounts.json');

function configure(servers: object, more: object = {}): void {
  const folder = join(home, '.config/plugboard');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ mcpServers: servers, ...more }));
}

async function standings(): Promise<Record<string, string>> {
  const { servers } = await loadHostConfig(options());
  return Object.fromEntries(servers.map(({ name, standing }) => [name, standing.kind]));
}

test.each([
  ['github@work', { server: 'github', account: 'work' }],
  ['a@b@c', { server: 'a@b', account: 'c' }],
  ['github', undefined],
  ['@work', undefined],
  ['github@', undefined],
  ['github@a b', undefined],
])('%s names the account %o', (name, expected) => {
  expect(splitAccount(name)).toEqual(expected);
  expect(accountName(name)).toBe(expected?.account ?? '');
});

test('each account is a server beside its own, with the same entry', async () => {
  configure({ github: { url: 'https://mcp.example/mcp' }, other: { url: 'https://other.example/mcp' } });
  await addAccount(context(), 'github', 'work');
  await addAccount(context(), 'github', 'home');
  await addAccount(context(), 'gone', 'work');
  const { servers } = await loadHostConfig(options());
  expect(servers.map(({ name, accountOf }) => [name, accountOf])).toEqual([
    ['github', undefined],
    ['github@work', 'github'],
    ['github@home', 'github'],
    ['other', undefined],
  ]);
  expect(servers[1]!.config).toEqual(servers[0]!.config);
  await removeAccount(context(), 'github', 'work');
  expect(Object.keys(await standings())).toEqual(['github', 'github@home', 'other']);
});

test('whoever approves an account approves its server, which is what is asked about', async () => {
  writeFileSync(
    join(home, '.mcp.json'),
    JSON.stringify({ mcpServers: { shared: { url: 'https://mcp.example/mcp' } } }),
  );
  await addAccount(context(), 'shared', 'work');
  expect(await standings()).toEqual({ shared: 'unapproved', 'shared@work': 'unapproved' });
  const { servers } = await loadHostConfig(options());
  const requests = servers.slice(0, 2).map((server) => toApprovalRequest(server, NO_PERMISSIONS));
  expect(requests[1]).toEqual(requests[0]);
  await choose(context(), servers[1]!, { decision: 'approved', now: new Date(0) });
  expect(await standings()).toEqual({ shared: 'ready', 'shared@work': 'ready' });
});

test('an account is switched off by itself, and goes the way of its server', async () => {
  configure(
    { a: { url: 'https://a.example' }, b: { url: 'https://b.example', disabled: true } },
    { disabledMcpServers: ['a@x'] },
  );
  for (const server of ['a', 'b']) await addAccount(context(), server, 'x');
  expect(await standings()).toEqual({ a: 'ready', 'a@x': 'disabled', b: 'disabled', 'b@x': 'disabled' });
});

test('a server that is configured under that name stays what it is', async () => {
  configure({ a: { url: 'https://a.example' }, 'a@x': { url: 'https://x.example' } });
  await addAccount(context(), 'a', 'x');
  const { servers } = await loadHostConfig(options());
  expect(servers.map(({ name, accountOf }) => [name, accountOf])).toEqual([
    ['a', undefined],
    ['a@x', undefined],
  ]);
});

async function view(approveProject: boolean): Promise<unknown> {
  const { servers } = await loadHostConfig({ ...options(), approveProject });
  return servers.map(({ name, author, standing, twins }) => {
    return [name, author, standing.kind, twins?.map((twin) => twin.accountOf)];
  });
}

test('an entry of a repository takes no account’s place, approved or not, and has none of its rules', async () => {
  configure({ github: { url: 'https://mcp.example/mcp' } });
  await addAccount(context(), 'github', 'work');
  const entry = { command: '/bin/cat' };
  writeFileSync(join(home, '.mcp.json'), JSON.stringify({ mcpServers: { 'github@work': entry } }));
  expect(await view(false)).toEqual([
    ['github@work', 'repository', 'unapproved', ['github']],
    ['github', 'user', 'ready', undefined],
    ['github@work', 'user', 'ready', undefined],
  ]);
  expect(await view(true)).toEqual([
    ['github@work', 'repository', 'suppressed', ['github']],
    ['github', 'user', 'ready', undefined],
    ['github@work', 'user', 'ready', undefined],
  ]);
});

test('an account that is switched off leaves its name to nobody else', async () => {
  configure({ github: { url: 'https://mcp.example/mcp' } }, { disabledMcpServers: ['github'] });
  await addAccount(context(), 'github', 'work');
  const mcpServers = { 'github@work': { command: '/bin/cat' } };
  writeFileSync(join(home, '.mcp.json'), JSON.stringify({ mcpServers }));
  const { servers } = await loadHostConfig({ ...options(), approveProject: true });
  expect(servers.map(({ name, author, standing }) => [name, author, standing.kind])).toEqual([
    ['github@work', 'repository', 'suppressed'],
    ['github', 'user', 'disabled'],
    ['github@work', 'user', 'disabled'],
  ]);
});

test('an entry of the user’s own that cannot run leaves the account where it is', async () => {
  configure({ a: { url: 'https://a.example' }, 'a@x': { url: 'no address' } });
  await addAccount(context(), 'a', 'x');
  const { servers } = await loadHostConfig(options());
  expect(servers.map(({ name, accountOf, standing }) => [name, accountOf, standing.kind])).toEqual([
    ['a', undefined, 'ready'],
    ['a@x', 'a', 'ready'],
    ['a@x', undefined, 'invalid'],
  ]);
});

test('the file is for this user alone, keeps odd names, and forgets a server without accounts', async () => {
  await addAccount(context(), '__proto__', 'one');
  await addAccount(context(), 'db', 'one');
  await removeAccount(context(), 'db', 'one');
  await removeAccount(context(), 'db', 'never');
  expect(readFileSync(file(), 'utf8')).toBe('{\n  "__proto__": [\n    "one"\n  ]\n}\n');
  expect(statSync(file()).mode & 0o077).toBe(0);
});

test.each(['', 'a b', 'a/b', 'ä', 'a@b', 'x'.repeat(65), 'a\n'])('%j is no name for an account', async (name) => {
  await expect(addAccount(context(), 'db', name)).rejects.toMatchObject({ code: 'usage', hint: expect.any(String) });
});

test('the 21st account of a server is refused, with how to make room', async () => {
  const names = Array.from({ length: 20 }, (_, at) => `a${at}`);
  await Promise.all(names.map((name) => addAccount(context(), 'db', name)));
  await expect(addAccount(context(), 'db', 'more')).rejects.toMatchObject({
    code: 'usage',
    hint: expect.stringContaining('plugboard logout db@a'),
  });
});

test.each(['{"db":["wo', '[]'])('a file with %s is a problem, has none, and hides no server', async (text) => {
  configure({ db: { url: 'https://a.example' } });
  mkdirSync(join(home, '.local/state/plugboard'), { recursive: true });
  writeFileSync(file(), text);
  const { servers, problems } = await loadHostConfig(options());
  expect(servers.map(({ name }) => name)).toEqual(['db']);
  expect(problems).toEqual([expect.objectContaining({ file: file(), severity: 'warning' })]);
});

test('an account that a policy denies by its name does not run, and the others do', async () => {
  const deniedMcpServers = [{ serverName: 'github@work' }];
  configure({ github: { url: 'https://mcp.example/mcp' } }, { settings: { deniedMcpServers } });
  await addAccount(context(), 'github', 'work');
  await addAccount(context(), 'github', 'home');
  expect(await standings()).toEqual({ github: 'ready', 'github@work': 'denied', 'github@home': 'ready' });
  const allowedMcpServers = [{ serverName: 'github' }];
  configure({ github: { url: 'https://mcp.example/mcp' } }, { settings: { allowedMcpServers } });
  expect(await standings()).toEqual({ github: 'ready', 'github@work': 'ready', 'github@home': 'ready' });
});
