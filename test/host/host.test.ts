import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HostError } from '../../src/base/errors.js';
import type { Host } from '../../src/host/host.js';
import { inside } from '../../src/host/inside.js';
import { turn } from '../fake-clock.js';
import { isRunning, openScene } from './scene.js';
import { SessionServer } from './session-server.js';

test('a fork shares the connections of its parent, has servers of its own, and closes only those', async () => {
  await using scene = openScene();
  scene.configure({ shared: scene.journaling(), other: scene.journaling() });
  const { host } = await scene.open({ watch: false });
  await host.settled();
  const child = host.fork({ servers: ['shared', { own: scene.journaling() }] });
  const received: string[] = [];
  child.on('server', ({ name, after }) => received.push(`${name} ${after}`));
  await child.settled();
  expect(child.servers().map(({ name, status }) => `${name} ${status}`)).toEqual(['shared connected', 'own connected']);
  expect(new Set(child.tools().map(({ server }) => server))).toEqual(new Set(['shared', 'own']));
  expect(await child.call({ name: 'mcp__shared__append', input: { key: 's' } })).toMatchObject({ outcome: 'ok' });
  expect(await child.call({ name: 'mcp__own__append', input: { key: 'o' } })).toMatchObject({ outcome: 'ok' });
  expect(await child.call({ name: 'mcp__other__append' })).toMatchObject({ outcome: 'error', attempts: 0 });
  expect(child[inside].server('shared')).toBe(host[inside].server('shared'));
  expect(host.server('own')).toBeUndefined();
  expect(scene.starts()).toHaveLength(3);

  await host.reconnect('shared');
  expect(received).toContain('shared connected');
  await child[Symbol.asyncDispose]();
  expect(host.server('shared')?.status).toBe('connected');
  expect(scene.starts().filter(isRunning)).toHaveLength(2);
  expect(await host.call({ name: 'mcp__shared__append', input: { key: 'p' } })).toMatchObject({ outcome: 'ok' });
});

test('a fork without a list shares everything, and goes with its parent', async () => {
  await using scene = openScene();
  scene.configure({ a: scene.journaling() });
  const { host } = await scene.open({ watch: false });
  const child = host.fork();
  const grandchild = child.fork({ servers: [{ b: scene.journaling() }] });
  await grandchild.settled();
  expect(grandchild.servers().map(({ name }) => name)).toEqual(['a', 'b']);
  expect(host.fork({ servers: [] }).servers()).toEqual([]);
  expect(() => host.fork({ servers: ['nope'] })).toThrow(
    'A fork is to share server "nope", and none of that name is configured',
  );
  expect(() => child.fork({ servers: ['a', 'nope', { own: scene.journaling() }] })).toThrow(HostError);
  expect(host.fork({ servers: ['nope', 'a'], mayLack: true }).servers()).toMatchObject([{ name: 'a' }]);
  await host[Symbol.asyncDispose]();
  expect(scene.starts().filter(isRunning)).toEqual([]);
});

test('a policy holds for the servers of a fork as for any other', async () => {
  await using scene = openScene();
  scene.configure({}, { deniedMcpServers: [{ serverName: 'own' }] });
  const { host } = await scene.open({ watch: false });
  const child = host.fork({ servers: [{ own: scene.journaling() }] });
  await child.settled();
  expect(child.server('own')).toMatchObject({ status: 'denied' });
  expect(scene.starts()).toEqual([]);
});

test('where an administrator has said which servers there are, a fork has none of its own, and no second ones of those', async () => {
  await using scene = openScene();
  const managed = join(scene.home, 'managed');
  mkdirSync(managed);
  writeFileSync(join(managed, 'managed-mcp.json'), JSON.stringify({ mcpServers: { fixed: scene.journaling() } }));
  const { host } = await scene.open({ watch: false, managedDirectories: [managed] });
  await host.settled();
  const child = host.fork({ servers: [{ own: scene.journaling() }] });
  await child.settled();
  expect(child.servers().map(({ name, status }) => `${name} ${status}`)).toEqual(['fixed connected']);
  expect(child[inside].server('fixed')).toBe(host[inside].server('fixed'));
  expect(scene.starts()).toHaveLength(1);
});

test('the state of a host is JSON without a secret in it', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  const secret = 'sk-very-secret-0123456789';
  scene.configure({
    'odd name': { ...scene.journaling({ API_TOKEN: secret }) },
    remote: { type: 'http', url: server.url, headers: { Authorization: `Bearer ${secret}` } },
    missing: { command: 'no-such-command', env: { API_KEY: secret } },
  });
  const { host } = await scene.open({ watch: false });
  await host.settled();
  const text = JSON.stringify(host.state());
  expect(text).not.toContain(secret);
  const state = JSON.parse(text) as ReturnType<Host['state']>;
  expect(state.servers.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'odd name connected',
    'remote connected',
    'missing failed',
  ]);
  expect(state.servers[0]).toMatchObject({ instructions: 'Write it down.', capabilities: { prompts: {} } });
  expect(state.names['mcp__odd_name__append']).toEqual({ server: 'odd name', tool: 'append' });
  expect(state.prompts).toEqual([{ name: 'sum-up', server: 'odd name' }]);
  expect(state.resources).toMatchObject([{ uri: 'file:///journal', server: 'odd name' }]);
});

test('what is switched off while a host runs stays off, and comes back when it is switched on', async () => {
  await using scene = openScene();
  scene.configure({ a: scene.journaling() });
  const { host, changes } = await scene.open({ watch: false });
  await host.settled();
  const [pid] = scene.starts();
  host.disable('a');
  expect(host.server('a')?.status).toBe('disabled');
  expect(host.tools()).toEqual([]);
  expect(await host.call({ name: 'mcp__a__append' })).toMatchObject({ outcome: 'error', attempts: 0 });
  while (isRunning(pid!)) await turn();
  host.enable('a');
  await host.settled();
  expect(changes.map(({ after }) => after)).toEqual([
    'pending',
    'connected',
    'disabled',
    'idle',
    'pending',
    'connected',
  ]);
  expect(await host.call({ name: 'mcp__a__append' })).toMatchObject({ outcome: 'ok' });
});

test('a policy that comes while a host runs ends what it denies', async () => {
  await using scene = openScene();
  const a = scene.journaling();
  // With the same command, `b` would be denied together with `a`.
  const b = { ...a, args: [...(a['args'] as string[]), 'b'] };
  scene.configure({ a, b });
  const { host, until } = await scene.open();
  await host.settled();
  scene.configure({ a, b }, { deniedMcpServers: [{ serverName: 'a' }] });
  await until(({ name, after }) => name === 'a' && after === 'denied');
  while (scene.starts().filter(isRunning).length > 1) await turn();
  expect(host.server('b')?.status).toBe('connected');
});

test('servers are started three at a time, and one at a time where somebody says so', async () => {
  await using scene = openScene();
  const entries = Object.fromEntries(
    Array.from({ length: 5 }, (_, index) => [`s${index}`, scene.journaling({ BOOT_MS: '60' })]),
  );
  scene.configure(entries);
  const { host, changes } = await scene.open({
    watch: false,
    env: { ...scene.env, MCP_SERVER_CONNECTION_BATCH_SIZE: '1' },
  });
  let most = 0;
  host.on('server', () => {
    const under = scene.starts().length - changes.filter(({ after }) => after === 'connected').length;
    most = Math.max(most, under);
  });
  await host.settled();
  expect(host.servers().every(({ status }) => status === 'connected')).toBe(true);
  expect(most).toBeLessThanOrEqual(1);
});

test('a host that is closed while its servers start leaves none of them', async () => {
  await using scene = openScene();
  scene.configure(
    Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`s${index}`, scene.journaling({ BOOT_MS: '100' })])),
  );
  const { host } = await scene.open();
  while (scene.starts().length === 0) await turn();
  await host[Symbol.asyncDispose]();
  await host[Symbol.asyncDispose]();
  expect(scene.starts().filter(isRunning)).toEqual([]);
  expect(await host.call({ name: 'mcp__s0__append' })).toMatchObject({ outcome: 'error', attempts: 0 });
});

test('a call to a tool that is not there names one that is near', async () => {
  await using scene = openScene();
  scene.configure({ a: scene.journaling() });
  const { host } = await scene.open({ watch: false });
  await host.settled();
  const { error } = await host.call({ name: 'mcp__a__apend' });
  expect(error).toMatchObject({ code: 'unknown-tool', hint: 'Did you mean mcp__a__append?' });
});

test('two hosts in one process never meet', async () => {
  await using scene = openScene();
  scene.configure({ a: scene.journaling() });
  const one = await scene.open({ watch: false });
  const other = await scene.open({ watch: false });
  await Promise.all([one.host.settled(), other.host.settled()]);
  expect(scene.starts()).toHaveLength(2);
  await one.host[Symbol.asyncDispose]();
  expect(await other.host.call({ name: 'mcp__a__append' })).toMatchObject({ outcome: 'ok' });
});

test('a changed list is told as what has been added, and can be called at once', async () => {
  await using scene = openScene();
  scene.configure({ a: scene.journaling() });
  const { host, untilListed } = await scene.open({ watch: false });
  await host.settled();
  await host.call({ name: 'mcp__a__grow', input: { key: 'new-tool' } });
  await untilListed(({ added }) => added.includes('new-tool'));
  expect(await host.call({ name: 'mcp__a__new-tool', input: {} })).toMatchObject({ outcome: 'ok' });
});
