import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FakeClock, turn } from '../fake-clock.js';
import { isRunning, openScene } from './scene.js';
import { inside } from '../../src/host/inside.js';

test('Config file to tool', async () => {
  await using scene = openScene();
  scene.configure({
    notes: scene.journaling(),
    broken: { command: 'no-such-command-anywhere' },
    off: { ...scene.journaling(), disabled: true },
  });
  writeFileSync(join(scene.project, '.mcp.json'), JSON.stringify({ mcpServers: { asked: scene.journaling() } }));
  const { host, changes, listed } = await scene.open({ watch: false });
  await host.settled();

  const states = Object.fromEntries(host.servers().map(({ name, status, tools }) => [name, [status, tools]]));
  expect(states).toEqual({
    notes: ['connected', 5],
    broken: ['failed', null],
    off: ['disabled', null],
    asked: ['unapproved', null],
  });
  expect(host.server('broken')?.error).toMatchObject({ code: 'start-failed' });
  expect(scene.starts()).toHaveLength(1);
  expect(changes.filter(({ name }) => name === 'notes').map(({ after }) => after)).toEqual(['pending', 'connected']);
  expect(listed).toContainEqual({
    server: 'notes',
    list: 'tools',
    added: ['read', 'put', 'append', 'die', 'grow'],
    removed: [],
    changed: [],
  });

  const result = await host.call({ name: 'mcp__notes__append', input: { key: 'a' } });
  expect(result).toMatchObject({ outcome: 'ok', attempts: 1, content: [{ type: 'text', text: 'append a' }] });
  expect(scene.ran()).toEqual(['append a']);

  // The next run knows the tools before any process has started.
  await host[Symbol.asyncDispose]();
  scene.configure({ notes: scene.journaling({}, {}) });
  const next = await scene.open({ watch: false });
  expect(next.host.tools().map(({ name }) => name)).toContain('mcp__notes__append');
  await next.host.settled();
  expect(next.listed).toEqual([]);
});

test('Death mid-call', async () => {
  await using scene = openScene();
  scene.configure({ notes: scene.journaling() });
  const clock = new FakeClock();
  const { host, until } = await scene.open({ watch: false, ports: { clock, random: () => 0 } });
  await host.settled();
  const [pid] = scene.starts();

  const effect = host.call({ name: 'mcp__notes__append', input: { key: 'effect', ms: 60_000 } });
  const look = host.call({ name: 'mcp__notes__read', input: { key: 'look', ms: 1 } });
  expect((await look).outcome).toBe('ok');
  const slowLook = host.call({ name: 'mcp__notes__read', input: { key: 'again', isHeldByFirst: true } });
  while (!scene.ran().includes('read again')) await turn();
  process.kill(pid!, 'SIGKILL');

  // A call with effects that was in flight ends at once, as unknown.
  expect(await effect).toMatchObject({ outcome: 'unknown', attempts: 1, error: { code: 'connection-closed' } });
  expect((await effect).error?.message).toMatch(/whether it was done is unknown$/u);
  await until(({ after }) => after === 'reconnecting');

  // A call that is made now waits for the reconnect.
  const waiting = host.call({ name: 'mcp__notes__append', input: { key: 'later' } });
  await clock.pass(999);
  expect(scene.starts()).toHaveLength(1);
  await clock.pass(1);
  await until(({ before, after }) => before === 'reconnecting' && after === 'connected');

  expect(await waiting).toMatchObject({ outcome: 'ok', attempts: 1 });
  // The call that only reads was retried.
  expect(await slowLook).toMatchObject({ outcome: 'ok', attempts: 2 });
  expect(scene.ran().filter((line) => line.startsWith('append'))).toEqual(['append effect', 'append later']);
  expect(scene.starts()).toHaveLength(2);
  expect(isRunning(pid!)).toBe(false);
});

test('an edit of a file exchanges the one server that it is about, and the old process is gone', async () => {
  await using scene = openScene();
  scene.configure({ kept: scene.journaling(), edited: scene.journaling() });
  const { host, until, changes } = await scene.open();
  await host.settled();
  const before = scene.starts();
  expect(before).toHaveLength(2);
  const kept = host[inside].server('kept');

  scene.configure({
    kept: scene.journaling(),
    edited: scene.journaling({ TOOLS: 'extra' }),
    added: scene.journaling(),
  });
  await until(({ name, after }) => name === 'added' && after === 'connected');
  await host.settled();
  expect(host.tools().map(({ name }) => name)).toContain('mcp__edited__extra');
  expect(host[inside].server('kept')).toBe(kept);
  expect(changes.filter(({ name }) => name === 'kept').map(({ after }) => after)).toEqual(['pending', 'connected']);
  const running = scene.starts().filter(isRunning);
  expect(running).toHaveLength(3);
  expect(before.filter(isRunning)).toHaveLength(1);

  scene.configure({ kept: scene.journaling() });
  while (host.servers().length > 1) await new Promise((done) => void host.on('config', done));
  while (scene.starts().filter(isRunning).length > 1) await turn();
  expect(host.tools().every(({ server }) => server === 'kept')).toBe(true);
});

test('a lazy server is known from the last run and started by its first call', async () => {
  await using scene = openScene();
  scene.configure({ notes: scene.journaling({}, { start: 'lazy' }) });
  const first = await scene.open({ watch: false });
  await first.host.settled();
  expect(first.host.servers()).toMatchObject([{ status: 'idle', tools: null }]);
  expect(scene.starts()).toEqual([]);
  // The server has never been started; the prefix of the tool's name says which server to start.
  expect(await first.host.call({ name: 'mcp__notes__append', input: { key: '1' } })).toMatchObject({ outcome: 'ok' });
  await first.host[Symbol.asyncDispose]();

  const second = await scene.open({ watch: false });
  expect(second.host.servers()).toMatchObject([{ status: 'idle', tools: 5 }]);
  expect(second.host.tools()).toHaveLength(5);
  expect(await second.host.tool('mcp__notes__append')).toMatchObject({ inputSchema: { type: 'object' } });
  expect(scene.starts()).toHaveLength(1);
  expect(await second.host.call({ name: 'mcp__notes__append', input: { key: '2' } })).toMatchObject({ outcome: 'ok' });
  expect(scene.ran()).toEqual(['append 1', 'append 2']);
  expect(readFileSync(scene.journal, 'utf8')).not.toBe('');
});
