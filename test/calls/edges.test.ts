import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PermissionAnswer } from '../../src/guard/permission-question.js';
import { embed } from './embedded.js';
import { ASKING, openWalk, person, textOf } from './walk-scene.js';

// Where parts of a host meet: forks, closing, edits while it runs, and what built-in tools could be misused for.

test('a sub-agent sees the tools that its parent’s server gets later, and answers of the user count for both', async () => {
  await using scene = openWalk();
  const { ask, asked } = person({ kind: 'allow', remember: 'session' });
  const { options, servers } = embed([['a', ['one']]]);
  const { host, untilListed } = await scene.open({ ...options, watch: false, permissions: ASKING, ports: { ask } });
  await host.settled();
  const fork = host.fork();
  expect(fork.tools().map(({ tool }) => tool)).toEqual(['one']);
  servers.get('a')!.set(['one', 'two']);
  await untilListed(({ added }) => added.includes('two'));
  expect(fork.tools().map(({ tool }) => tool)).toEqual(['one', 'two']);
  expect(await fork.call({ name: 'mcp__a__two' })).toMatchObject({ outcome: 'ok' });
  expect(await host.call({ name: 'mcp__a__two' })).toMatchObject({ outcome: 'ok' });
  expect(asked).toHaveLength(1);
  await fork[Symbol.asyncDispose]();
  expect(await host.call({ name: 'mcp__a__two' })).toMatchObject({ outcome: 'ok' });
  expect((await scene.ledgerOf(host)).map(({ tool }) => tool)).toEqual(Array.from({ length: 3 }, () => 'mcp__a__two'));
});

test('a call that comes after the end of its host says so', async () => {
  await using scene = openWalk();
  const { options, servers } = embed([['a', ['one']]]);
  const host = await scene.settle(options);
  await host[Symbol.asyncDispose]();
  for (const name of ['mcp__a__one', 'mcp__a__none', 'ToolSearch']) {
    const result = await host.call({ name, input: { query: 'one' } });
    expect([name, result.outcome]).not.toEqual([name, 'unknown']);
  }
  expect(await host.call({ name: 'mcp__a__one' })).toMatchObject({ error: { code: 'connection-closed' } });
  expect(servers.get('a')!.ran).toEqual([]);
});

test('a question that cannot be put is no permission, and one that nobody waits for any more is taken back', async () => {
  await using scene = openWalk();
  const { options, servers } = embed([['a', ['one']]]);
  const broken = await scene.settle({
    ...options,
    permissions: ASKING,
    ports: { ask: () => Promise.reject(new Error('no window')) },
  });
  expect(await broken.call({ name: 'mcp__a__one' })).toMatchObject({ error: { code: 'denied' } });
  const giving = new AbortController();
  let wasTakenBack = false;
  const ask = (_: unknown, signal: AbortSignal): Promise<PermissionAnswer> =>
    new Promise((_answer, fail) => {
      signal.addEventListener('abort', () => {
        wasTakenBack = true;
        fail(new Error('taken back'));
      });
      giving.abort();
    });
  const diagnosed = await scene.settle({ ...options, permissions: ASKING, ports: { ask } });
  const result = await diagnosed.call({ name: 'mcp__a__one', signal: giving.signal });
  expect(result).toMatchObject({ outcome: 'error', attempts: 0, error: { code: 'cancelled' } });
  expect(wasTakenBack).toBe(true);
  expect(servers.get('a')!.ran).toEqual([]);
});

test('what is saved of a result only its user can read', async () => {
  await using scene = openWalk();
  scene.configure({ desk: scene.walking(['large']) });
  const host = await scene.settle();
  const { saved } = await host.call({ name: 'mcp__desk__large' });
  expect(statSync(saved[0]!.path).mode & 0o777).toBe(0o600);
  expect(statSync(join(saved[0]!.path, '..')).mode & 0o777).toBe(0o700);
});

test('Read shows nothing of what Plugboard itself keeps, also where the project is the home folder', async () => {
  await using scene = openWalk();
  scene.configure({ desk: { ...scene.walking(['large']), env: { TOOLS: '[]', API_KEY: 'sk-very-secret' } } });
  const state = join(scene.home, '.local/state/plugboard');
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, 'credentials.json'), '{"token":"very-secret"}');
  const host = await scene.settle({ cwd: scene.home });
  for (const path of ['.config/plugboard/config.json', '.local/state/plugboard/credentials.json']) {
    const result = await host.call({ name: 'Read', input: { path: join(scene.home, path) } });
    expect(textOf(result)).not.toContain('very-secret');
    expect(result.outcome).toBe('error');
  }
});

test.each([
  ['its name', 'se cret'],
  ['its name in tools', 'se_cret'],
  ['its name with blanks around', ' se cret '],
  ['its name in capitals', 'SE CRET'],
])('a server that is denied is not read from, by %s', async (_title, server) => {
  await using scene = openWalk();
  const settings = { permissions: { deny: ['mcp__se_cret'] } };
  scene.configure({ 'se cret': scene.walking([]), open: scene.walking([]) }, settings);
  const host = await scene.settle();
  const read = await host.call({ name: 'ReadMcpResource', input: { server, uri: 'walk://map' } });
  expect(textOf(read)).not.toContain('left, then right');
  expect(read.outcome).toBe('error');
  const list = await host.call({ name: 'ListMcpResources', input: {} });
  expect(textOf(list)).toContain('open');
  expect(textOf(list)).not.toContain('se cret');
});

test('a tool that is left out by its entry is not there', async () => {
  await using scene = openWalk();
  scene.configure({
    a: { ...scene.walking(['one', 'two', 'three']), includeTools: ['one', 'two'], excludeTools: ['two'] },
  });
  const host = await scene.settle();
  expect(host.tools().map(({ tool }) => tool)).toEqual(['one']);
  expect(await host.call({ name: 'mcp__a__two' })).toMatchObject({ error: { code: 'unknown-tool' } });
  expect(await host.call({ name: 'CallMcpTool', input: { name: 'mcp__a__three' } })).toMatchObject({
    error: { code: 'unknown-tool' },
  });
  expect(scene.journalLines()).toEqual([]);
});

test('an input that throws when it is looked at ends its call, and nothing else', async () => {
  await using scene = openWalk();
  scene.configure({ s: scene.journaling() });
  const host = await scene.settle();
  const input = {
    get key(): string {
      throw new Error('not today');
    },
  };
  expect(await host.call({ name: 'mcp__s__append', input })).toMatchObject({ error: { code: 'internal' } });
  expect(await host.call({ name: 'mcp__s__append' })).toMatchObject({ outcome: 'ok' });
});
