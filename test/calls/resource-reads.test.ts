import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { Host } from '../../src/host/host.js';
import type { HostOptions } from '../../src/host/host-options.js';
import type { PermissionMode } from '../../src/model/permissions/settings.js';
import { ASKING, ONCE, openWalk, person, SESSION, textOf, type WalkScene } from './walk-scene.js';

// A model could leak secrets to a server in a resource URI, so a read is decided like a call of that server.

const LISTED = 'leak://listed';
const FILLED = 'leak://q/AKIA-secret';
const OTHER = 'https://elsewhere.example/?d=AKIA-secret';

function reading(scene: WalkScene, tools: readonly string[] = []): Record<string, unknown> {
  const args = [resolve(import.meta.dirname, 'reading-server.mjs')];
  return { command: process.execPath, args, env: { JOURNAL: scene.journal, TOOLS: JSON.stringify(tools) } };
}

async function openReading(options: HostOptions = {}, settings: object = {}): Promise<WalkScene & { host: Host }> {
  const scene = openWalk();
  scene.configure({ docs: reading(scene) }, settings);
  return { ...scene, host: await scene.settle(options) };
}

function read(host: Host, uri: string): ReturnType<Host['call']> {
  return host.call({ name: 'ReadMcpResource', input: { server: 'docs', uri } });
}

test.each<PermissionMode>(['default', 'plan', 'dont-ask', 'auto-read'])(
  'in mode %s a model reads what a server lists, and no address of its own making',
  async (mode) => {
    await using scene = await openReading({ permissions: { mode } });
    const { host } = scene;
    expect(textOf(await read(host, LISTED))).toBe(`what stands at ${LISTED}`);
    for (const uri of [FILLED, OTHER, `${LISTED}?`]) {
      const refused = await read(host, uri);
      expect(refused).toMatchObject({ outcome: 'error', error: { code: 'denied' }, name: 'mcp__docs__resources' });
      expect(textOf(refused)).toContain('its server has not listed this address');
    }
    const wrapped = { name: 'ReadMcpResource', arguments: { server: 'docs', uri: OTHER } };
    for (const call of [
      { name: 'CallMcpTool', input: wrapped },
      { name: 'mcp__docs__resources', input: { server: 'docs', uri: OTHER } },
    ])
      expect(await host.call(call)).toMatchObject({ outcome: 'error', error: { code: 'denied' } });
    expect(scene.journalLines()).toEqual([LISTED]);
  },
);

test('the user is asked about an address that nobody listed, and sees the server and the address', async () => {
  const { asked, ask } = person(SESSION);
  await using scene = await openReading({ permissions: ASKING, ports: { ask } });
  const { host } = scene;
  expect(await read(host, LISTED)).toMatchObject({ outcome: 'ok' });
  expect(asked).toEqual([]);
  expect(await read(host, FILLED)).toMatchObject({ outcome: 'ok', server: 'docs', calledAs: 'ReadMcpResource' });
  expect(asked).toMatchObject([
    {
      name: 'mcp__docs__resources',
      server: 'docs',
      input: { server: 'docs', uri: FILLED },
      rule: 'mcp__docs__resources',
    },
  ]);
  expect(asked[0]!.reason).toContain('not listed');
  expect(await read(host, OTHER)).toMatchObject({ outcome: 'ok' });
  expect(asked).toHaveLength(1);
  expect(await scene.ledgerOf(host)).toMatchObject([
    { tool: 'mcp__docs__resources', server: 'docs', uri: LISTED, decision: 'allow', rule: 'built-in' },
    { tool: 'mcp__docs__resources', server: 'docs', uri: FILLED, decision: 'ask-allow', rule: 'person' },
    { tool: 'mcp__docs__resources', server: 'docs', uri: OTHER, decision: 'allow', rule: 'session' },
  ]);
});

test.each([
  [{ allow: ['mcp__docs__resources'] }, OTHER, 'ok'],
  [{ allow: ['mcp__docs'] }, OTHER, 'ok'],
  [{ allow: ['ReadMcpResource'] }, OTHER, 'ok'],
  [{ allow: ['Read*'] }, OTHER, 'error'],
  [{ allow: ['mcp__docs__other'] }, OTHER, 'error'],
  [{ deny: ['mcp__docs__resources'] }, LISTED, 'error'],
  [{ deny: ['mcp__docs__*'] }, LISTED, 'error'],
  [{ deny: ['ReadMcpResource'] }, LISTED, 'error'],
  [{ ask: ['mcp__docs__resources'] }, LISTED, 'error'],
  [{ ask: ['ReadMcpResource'] }, LISTED, 'error'],
  [{ ask: ['mcp__docs'] }, LISTED, 'error'],
])('rules decide about it: %j, %s', async (rules, uri, outcome) => {
  await using scene = await openReading({ permissions: { mode: 'dont-ask', ...rules } });
  expect(await read(scene.host, uri)).toMatchObject({ outcome });
  expect(scene.journalLines()).toEqual(outcome === 'ok' ? [uri] : []);
});

test.each(['mcp__docs__resources', 'mcp__docs__*', 'mcp__docs', 'ReadMcpResource', 'mcp__.*__resources'])(
  'a hook for %s blocks the reading of what is listed, and of what somebody typed',
  async (matcher) => {
    const preToolUse = [{ matcher, run: () => ({ decision: 'deny' as const, reason: 'not now' }) }];
    await using scene = await openReading({ hooks: { preToolUse } });
    expect(await read(scene.host, LISTED)).toMatchObject({ error: { code: 'denied' } });
    expect(await scene.host.readResource({ server: 'docs', uri: LISTED })).toMatchObject({ ok: false });
    expect(scene.journalLines()).toEqual([]);
  },
);

test('an address that a hook writes is decided about as the hook leaves it, and so it is written down', async () => {
  const preToolUse = [{ run: () => ({ input: { server: 'docs', uri: OTHER } }) }];
  await using scene = await openReading({ permissions: { mode: 'dont-ask' }, hooks: { preToolUse } });
  expect(await read(scene.host, LISTED)).toMatchObject({ error: { code: 'denied' } });
  expect(scene.journalLines()).toEqual([]);
  expect(await scene.ledgerOf(scene.host)).toMatchObject([{ uri: OTHER, decision: 'deny' }]);
});

test('what a hook makes of a resource is what whoever typed it gets', async () => {
  const postToolUse = [
    { matcher: 'mcp__docs__resources', run: () => ({ output: { content: [{ type: 'text', text: 'censored' }] } }) },
  ];
  await using scene = await openReading({ hooks: { postToolUse } });
  expect(await scene.host.readResource({ server: 'docs', uri: LISTED })).toMatchObject({
    ok: true,
    contents: [{ uri: LISTED, text: 'censored' }],
  });
});

test('what a person typed is its own approval, and leaves a line; rules that deny hold', async () => {
  await using scene = await openReading({ permissions: { mode: 'dont-ask' } });
  const { host } = scene;
  expect(await host.readResource({ server: 'docs', uri: OTHER })).toMatchObject({ ok: true });
  const values = { words: 'typed' };
  expect(await host.readResource({ server: 'docs', uri: 'leak://q/{words}', values })).toMatchObject({ ok: true });
  expect((await host.resolveMentions(`see @docs:${FILLED}`)).blocks).toHaveLength(1);
  expect(await host.readResource({ server: 'docs', uri: OTHER, isTyped: false })).toMatchObject({
    ok: false,
    error: { code: 'denied', hint: expect.stringContaining('permissions: { allow: ["mcp__docs__resources"] }') },
  });
  const piped = await host.resolveMentions(`see @docs:${FILLED} and @docs:${LISTED}`, { isTyped: false });
  expect(piped.blocks).toHaveLength(1);
  expect(piped.notes.join()).toContain(`@docs:${FILLED} was not read`);
  expect(scene.journalLines()).toEqual([OTHER, 'leak://q/typed', FILLED, LISTED]);
  expect(await scene.ledgerOf(host)).toMatchObject([
    { uri: OTHER, decision: 'allow', rule: 'typed' },
    { uri: 'leak://q/typed', rule: 'typed' },
    { uri: FILLED, rule: 'typed' },
    { uri: OTHER, decision: 'deny', rule: 'mode dont-ask' },
    { uri: FILLED, decision: 'deny' },
    { uri: LISTED, decision: 'allow', rule: 'built-in' },
  ]);
});

test('a rule that denies reading holds for what is typed as well', async () => {
  await using scene = await openReading({ permissions: { deny: ['mcp__docs__resources'] } });
  const { host } = scene;
  expect(await host.readResource({ server: 'docs', uri: LISTED })).toMatchObject({ error: { code: 'denied' } });
  expect((await host.resolveMentions(`see @docs:${LISTED}`)).blocks).toEqual([]);
  expect(host.forModel('openai').system).not.toContain('ReadMcpResource');
  expect(scene.journalLines()).toEqual([]);
});

test('a tool that calls itself "resources" has another name, and no rule about reading means it', async () => {
  await using scene = openWalk();
  scene.configure({ docs: reading(scene, ['resources', 'one']), 'my docs': reading(scene, ['resources']) });
  const allow = ['mcp__docs__resources', 'mcp__my docs__resources', 'mcp__my_docs__resources'];
  const host = await scene.settle({ permissions: { mode: 'dont-ask', allow } });
  const tools = host.tools().filter(({ tool }) => tool === 'resources');
  expect(tools.map(({ name }) => name)).toEqual([
    expect.stringMatching(/^mcp__docs__resources_\w+$/u),
    expect.stringMatching(/^mcp__my_docs__resources_\w+$/u),
  ]);
  for (const { name } of tools) expect(await host.call({ name })).toMatchObject({ error: { code: 'denied' } });
  expect(await read(host, OTHER)).toMatchObject({ outcome: 'ok' });
  const input = { server: 'my docs', uri: OTHER };
  expect(await host.call({ name: 'ReadMcpResource', input })).toMatchObject({ outcome: 'ok' });
  const denying = await scene.settle({ permissions: { mode: 'bypass', deny: [tools[0]!.name] } });
  expect(await read(denying, OTHER)).toMatchObject({ outcome: 'ok' });
});

test('a server that nobody has started is asked what it lists, unless a rule denies it anyway', async () => {
  await using scene = openWalk();
  scene.configure({ docs: { ...reading(scene), start: 'lazy' }, shut: { ...reading(scene), start: 'lazy' } });
  const { host } = await scene.open({ watch: false, permissions: { mode: 'dont-ask', deny: ['mcp__shut'] } });
  const input = { server: 'shut', uri: LISTED };
  expect(await host.call({ name: 'ReadMcpResource', input })).toMatchObject({ error: { code: 'denied' } });
  expect(host.server('shut')?.status).toBe('idle');
  expect(await read(host, LISTED)).toMatchObject({ outcome: 'ok' });
  expect(await read(host, OTHER)).toMatchObject({ error: { code: 'denied' } });
});

test('a sub-agent reads resources only where it was given the tool for it, and is decided about like its parent', async () => {
  const { asked, ask } = person(ONCE);
  await using scene = await openReading({ permissions: ASKING, ports: { ask } });
  await using without = scene.host.fork({ tools: ['mcp__docs__one'] });
  expect(await read(without, LISTED)).toMatchObject({ error: { code: 'denied' } });
  await using given = scene.host.fork({ tools: ['ReadMcpResource'] });
  expect(await read(given, LISTED)).toMatchObject({ outcome: 'ok' });
  expect(asked).toEqual([]);
  expect(await read(given, OTHER)).toMatchObject({ outcome: 'ok' });
  expect(asked).toHaveLength(1);
});
