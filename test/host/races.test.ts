import type { JsonObject } from '../../src/base/json.js';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { loadHostConfig } from '../../src/config/load.js';
import { Host } from '../../src/host/host.js';
import { inside } from '../../src/host/inside.js';
import { isRunning, openScene } from './scene.js';

const turn = (): Promise<void> => new Promise((done) => void setImmediate(done));

/** Ignores the end of stdin, and answers only 5 s after the start. */
const SLUGGISH = { BOOT_MS: '5000', DEAF: '1' };

test.concurrent('a reconnect while a server is being connected starts no second process beside the first', async () => {
  await using scene = openScene();
  scene.configure({ a: scene.journaling(SLUGGISH) });
  const { host } = await scene.open({ watch: false });
  while (scene.starts().length === 0) await turn();
  void host.reconnect('a');
  while (scene.starts().length === 1) await turn();
  expect(scene.starts().filter(isRunning)).toHaveLength(1);
});

test.concurrent('a server that is switched off and on again while it is being connected runs once', async () => {
  await using scene = openScene();
  scene.configure({ a: scene.journaling(SLUGGISH) });
  const { host } = await scene.open({ watch: false });
  while (scene.starts().length === 0) await turn();
  host.disable('a');
  host.enable('a');
  while (scene.starts().length === 1) await turn();
  expect(scene.starts().filter(isRunning)).toHaveLength(1);
});

test.concurrent('an entry that is edited while its server is being connected is exchanged after the old process has gone', async () => {
  await using scene = openScene();
  scene.configure({ a: scene.journaling(SLUGGISH) });
  await scene.open();
  while (scene.starts().length === 0) await turn();
  scene.configure({ a: scene.journaling({ ...SLUGGISH, TOOLS: 'new' }) });
  while (scene.starts().length === 1) await turn();
  expect(scene.starts().filter(isRunning)).toHaveLength(1);
});

test.concurrent('a fork that is closed while its server is being connected leaves no process', async () => {
  await using scene = openScene();
  scene.configure({});
  const { host } = await scene.open({ watch: false });
  const child = host.fork({ servers: [{ own: scene.journaling(SLUGGISH) }] });
  while (scene.starts().length === 0) await turn();
  await child[Symbol.asyncDispose]();
  expect(scene.starts().filter(isRunning)).toEqual([]);
});

test('a call that is made while a server is being reconnected by hand waits for it', async () => {
  await using scene = openScene();
  scene.configure({ a: scene.journaling() });
  const { host } = await scene.open({ watch: false });
  await host.settled();
  const reconnecting = host.reconnect('a');
  const calls = [host.call({ name: 'mcp__a__append', input: { key: 'x' } })];
  for (let i = 0; i < 20; i++) {
    await turn();
    calls.push(host.call({ name: 'mcp__a__append', input: { key: `${i}` } }));
  }
  const results = await Promise.all(calls);
  await reconnecting;
  expect(results.map(({ outcome, error }) => `${outcome} ${error?.message ?? ''}`)).toEqual(results.map(() => 'ok '));
});

test('a fork does not offer tools of a server that its parent no longer has', async () => {
  await using scene = openScene();
  const a = scene.journaling();
  scene.configure({ a });
  const { host } = await scene.open();
  await host.settled();
  const child = host.fork();
  expect(child.tools().length).toBeGreaterThan(0);
  const gone = new Promise<void>((done) => void host.on('config', () => done()));
  scene.configure({});
  await gone;
  expect(host.tools()).toEqual([]);
  expect(child.tools()).toEqual([]);
});

test('what a server prints of its secrets is in no state, event or result', async () => {
  await using scene = openScene();
  const secret = 'sk-very-secret-0123456789';
  const program = `console.log('on ' + process.env.API_TOKEN); console.error('Error: bad token ' + process.env.API_TOKEN);
    setTimeout(() => process.exit(3), 50)`;
  scene.configure({ a: { command: process.execPath, args: ['-e', program], env: { API_TOKEN: secret } } });
  const { host, changes } = await scene.open({ watch: false });
  const notes: unknown[] = [];
  host.on('note', (note) => notes.push(note));
  await host.settled();
  const { error } = await host.call({ name: 'mcp__a__x' });
  const told = JSON.stringify({ state: host.state(), changes, notes, error });
  expect(told).toContain('Error: bad token');
  expect(notes).toHaveLength(2);
  expect(told).not.toContain(secret);
});

test('a fork calls the tools of a connector by the names that they have in its parent', async () => {
  await using scene = openScene();
  scene.configure({ 'my  docs': scene.journaling() });
  const options = { cwd: scene.project, env: scene.env, managedDirectories: [], watch: false };
  const loaded = await loadHostConfig(options);
  const servers = loaded.servers.map((server) => ({ ...server, scope: 'connectors' as const }));
  await using host = Host[inside]({ ...loaded, servers }, options);
  await host.settled();
  const child = host.fork().fork();
  expect(host.tools().map(({ name }) => name)).toContain('mcp__my_docs__append');
  expect(child.tools()).toEqual(host.tools());
});

test('a call to a host that is closed says so', async () => {
  await using scene = openScene();
  scene.configure({ a: scene.journaling() });
  const { host } = await scene.open({ watch: false });
  await host.settled();
  await host[Symbol.asyncDispose]();
  const { outcome, error } = await host.call({ name: 'mcp__a__append' });
  expect({ outcome, code: error?.code }).toEqual({ outcome: 'error', code: 'connection-closed' });
});

test('twenty calls with one signal wait for a server without a warning of the process', async () => {
  await using scene = openScene();
  scene.configure({ a: scene.journaling({}, { start: 'lazy' }) });
  const { host } = await scene.open({ watch: false });
  const warnings: Error[] = [];
  const receive = (warning: Error): void => void warnings.push(warning);
  process.on('warning', receive);
  const { signal } = new AbortController();
  const calls = Array.from({ length: 20 }, () => host.call({ name: 'mcp__a__append', signal }));
  expect((await Promise.all(calls)).every(({ outcome }) => outcome === 'ok')).toBe(true);
  process.off('warning', receive);
  expect(warnings).toEqual([]);
});

test('a state is told before what came of it', async () => {
  await using scene = openScene();
  scene.configure({ a: scene.journaling() });
  const { host } = await scene.open({ watch: false });
  const told: string[] = [];
  host.on('server', ({ after }) => told.push(after));
  host.on('catalog', ({ list }) => {
    told.push(list);
    if (list === 'instructions') host.disable('a');
  });
  await host.settled();
  expect(told).toEqual(['pending', 'connected', 'instructions', 'disabled']);
  expect(host.server('a')?.status).toBe('disabled');
});

test('an answer is not measured against the schema that the tool had the last time', async () => {
  await using scene = openScene();
  const version = join(scene.home, 'version.txt');
  const upgraded = { command: process.execPath, args: [resolve(import.meta.dirname, 'upgraded-server.mjs'), version] };
  scene.configure({ a: upgraded });
  writeFileSync(version, 'old');
  const before = await scene.open({ watch: false });
  await before.host.settled();
  const name = 'mcp__a__count';
  expect(await before.host.call({ name })).toMatchObject({ outcome: 'ok', structuredContent: { old: 1 } });
  await before.host[Symbol.asyncDispose]();
  for (const now of ['broken', 'new', 'plain']) {
    writeFileSync(version, now);
    const { host } = await scene.open({ watch: false });
    const { outcome, error } = await host.call({ name });
    expect([now, outcome, error?.code]).toEqual([
      now,
      now === 'broken' ? 'error' : 'ok',
      now === 'broken' ? 'bad-answer' : undefined,
    ]);
    await host[Symbol.asyncDispose]();
  }
});

test('a tool of a server of its own can be called as soon as there is the fork', async () => {
  await using scene = openScene();
  scene.configure({});
  const { host } = await scene.open({ watch: false });
  const child = host.fork({ servers: [{ own: scene.journaling() }] });
  expect(await child.call({ name: 'mcp__own__append' })).toMatchObject({ outcome: 'ok' });
});

test('an input that is no JSON ends its call, and nothing of it is left', async () => {
  await using scene = openScene();
  scene.configure({ a: scene.journaling() });
  const { host } = await scene.open({ watch: false });
  await host.settled();
  const input = { key: 1n } as unknown as JsonObject;
  expect(await host.call({ name: 'mcp__a__append', input })).toMatchObject({ outcome: 'error' });
  expect(host[inside].server('a')?.connection?.peer.requests.size).toBe(0);
  expect(await host.call({ name: 'mcp__a__append' })).toMatchObject({ outcome: 'ok' });
});
