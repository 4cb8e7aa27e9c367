import { expect, test } from 'vitest';
import type { LocalTool } from '../../src/host/host-options.js';
import { embed } from './embedded.js';
import { openWalk, textOf } from './walk-scene.js';

const handshake: LocalTool = {
  name: 'Greet',
  description: 'Greets somebody',
  inputSchema: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
  hints: { readOnly: true },
  call: async ({ who }) => ({ content: [{ type: 'text', text: `Hello, ${String(who)}` }] }),
};

test('a tool of the embedding program is shown, searched, decided and called like any other', async () => {
  await using scene = openWalk();
  const host = await scene.settle({ tools: [handshake], permissions: { mode: 'default' } });
  for (const profile of ['anthropic', 'openai', 'gemini'] as const)
    expect(JSON.stringify(host.forModel(profile).tools)).toContain('"Greet"');
  expect(host.builtIns().map(({ name }) => name)).toEqual(['Greet']);
  expect(textOf(await host.call({ name: 'Greet', input: { who: 'you' } }))).toBe('Hello, you');
  expect(await host.call({ name: 'Greet', input: {} })).toMatchObject({
    outcome: 'error',
    error: { code: 'bad-input' },
  });
  const lines = await scene.ledgerOf(host);
  expect(lines.map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual(['Greet ok', 'Greet error']);
});

test('one that may do more than read is asked about, a rule denies it, and what it throws is its result', async () => {
  await using scene = openWalk();
  const writing: LocalTool = {
    ...handshake,
    hints: {},
    call: async () => {
      throw new Error('no ink');
    },
  };
  const asking = await scene.settle({ tools: [writing], permissions: { mode: 'default' } });
  expect(await asking.call({ name: 'Greet', input: { who: 'x' } })).toMatchObject({ error: { code: 'denied' } });
  const denying = await scene.settle({ tools: [writing], permissions: { mode: 'bypass', deny: ['Greet'] } });
  expect(JSON.stringify(denying.forModel('openai').tools)).not.toContain('Greet');
  const bypassing = await scene.settle({ tools: [writing], permissions: { mode: 'bypass' } });
  expect(textOf(await bypassing.call({ name: 'Greet', input: { who: 'x' } }))).toContain('no ink');
});

test.each([['mcp__a__b'], [''], ['two words'], ['x'.repeat(65)]])('%j is no name for one', async (name) => {
  await using scene = openWalk();
  await expect(scene.open({ tools: [{ ...handshake, name }] })).rejects.toMatchObject({ code: 'usage' });
});

test('no two tools have one name', async () => {
  await using scene = openWalk();
  for (const tools of [[handshake, handshake], [{ ...handshake, name: 'Read' }]])
    await expect(scene.open({ tools })).rejects.toThrow('There are two tools');
});

test('a fork has only the tools that it was given, found and called by any way', async () => {
  await using scene = openWalk();
  const host = await scene.settle({
    ...embed([
      ['a', ['get_one', 'get_two', 'set_one']],
      ['b', ['get_one']],
    ]).options,
    tools: [handshake],
  });
  await using fork = host.fork({ tools: ['mcp__a__get_*'], local: [] });
  const names = (await fork.search('one')).map(({ name }) => name);
  expect(names).toEqual(['mcp__a__get_one']);
  const shown = JSON.stringify(fork.forModel('openai').tools);
  for (const name of ['mcp__a__set_one', 'mcp__b__get_one', 'Greet', 'ReadMcpResource'])
    expect(shown).not.toContain(name);
  for (const name of ['mcp__a__get_one', 'mcp__a__get_two', 'ToolSearch', 'CallMcpTool', 'Read'])
    expect(shown).toContain(`"${name}"`);
  expect(textOf(await fork.call({ name: 'mcp__a__get_one' }))).toBe('a/get_one {}');
  expect(await fork.call({ name: 'mcp__a__set_one' })).toMatchObject({ error: { code: 'denied' } });
  expect(await fork.call({ name: 'CallMcpTool', input: { name: 'mcp__b__get_one' } })).toMatchObject({
    error: { code: 'denied' },
  });
  // A fork of a fork never has more tools than its parent.
  await using inner = fork.fork({ tools: ['mcp__a', 'mcp__b'] });
  expect(inner.tools().length).toBe(4);
  expect(await inner.call({ name: 'mcp__b__get_one' })).toMatchObject({ error: { code: 'denied' } });
  expect(textOf(await inner.call({ name: 'mcp__a__get_two' }))).toBe('a/get_two {}');
  expect(textOf(await host.call({ name: 'mcp__a__set_one' }))).toBe('a/set_one {}');
  expect(() => host.fork({ tools: ['a(b)'] })).toThrow('brackets');
});
