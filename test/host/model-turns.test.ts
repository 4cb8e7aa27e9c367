import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Host } from '../../src/host/host.js';
import { inside } from '../../src/host/inside.js';
import { embed } from '../calls/embedded.js';
import { openWalk, textOf, type WalkScene } from '../calls/walk-scene.js';

test('a name that a model has read goes on meaning the same tool, whoever comes with a better claim to it', async () => {
  await using scene = openWalk();
  const { options, servers } = embed([
    ['x', ['y__z']],
    ['x__y', []],
  ]);
  const host = await scene.settle(options);
  const first = host.forModel('openai');
  expect(JSON.stringify(first.tools)).toContain('"mcp__x__y__z"');
  servers.get('x__y')!.set(['z']);
  await untilTools(host, 2);
  expect(textOf(await host.call({ name: 'mcp__x__y__z' }))).toBe('x/y__z {}');
  const { tools, news } = host.forModel('openai');
  expect(tools).toEqual(first.tools);
  const other = host.tools().find(({ server }) => server === 'x__y')!.name;
  expect(news).toContain(`Server "x__y" has new tools: ${other}`);
  expect(news).not.toContain('any more');
  expect(textOf(await host.call({ name: other }))).toBe('x__y/z {}');
  // The name stays reserved after its tool is gone.
  servers.get('x')!.set([]);
  await untilTools(host, 1);
  expect(textOf(await host.call({ name: 'mcp__x__y__z' }))).toContain('server "x" no longer offers it');
  expect(host.tools().map(({ name }) => name)).toEqual([other]);
});

test('a tool that goes while the model thinks answers that it is gone', async () => {
  await using scene = openWalk();
  const { options, servers } = embed([['a', ['one', 'two']]]);
  const host = await scene.settle(options);
  host.forModel('anthropic');
  servers.get('a')!.set(['two']);
  await untilTools(host, 1);
  expect(textOf(await host.call({ name: 'mcp__a__one' }))).toContain('is gone');
  expect(textOf(await host.call({ name: 'mcp__a__none' }))).toContain('There is no tool');
});

test('a conversation that goes on is not pushed out by a thousand that are opened beside it', async () => {
  await using scene = openWalk();
  const { options, servers } = embed([['a', ['one']]]);
  const host = await scene.settle(options);
  const { tools } = host.forModel('openai');
  servers.get('a')!.set(['one', 'two']);
  await untilTools(host, 2);
  for (let at = 0; at < 1_100; at++) {
    host.forModel('openai', { session: String(at) });
    expect(host.forModel('openai').tools).toBe(tools);
  }
});

test('tools that a program adds to the block of one turn are not in the next one, and the rest stays the same', async () => {
  await using scene = openWalk();
  const host = await scene.settle(embed([['a', ['one']]]).options);
  checkOwnTools(() => host.forModel('anthropic'), itself);
  checkOwnTools(() => host.forModel('openai'), itself);
  checkOwnTools(
    () => host.forModel('gemini'),
    ([block]) => block!.functionDeclarations,
  );
});

const itself = (tools: object[]): object[] => tools;

function checkOwnTools<Tool>(view: () => { readonly tools: Tool[] }, listOf: (tools: Tool[]) => object[]): void {
  const before = JSON.stringify(view().tools);
  listOf(view().tools).push({ name: 'mine' });
  expect(JSON.stringify(view().tools)).toBe(before);
  expect(view().tools).toBe(view().tools);
}

test('all definitions are read at once, in the order of the tools', async () => {
  await using scene = openWalk();
  const names = Array.from({ length: 100 }, (_, at) => `tool_${at}`);
  const host = await scene.settle(
    embed([
      ['a', names],
      ['b', ['one']],
    ]).options,
  );
  const tools = await host.tools({ definitions: true });
  expect(tools.map(({ name }) => name)).toEqual(host.tools().map(({ name }) => name));
  expect(tools).toHaveLength(101);
  const { server, tool, load, ...definition } = tools.find(({ name }) => name === 'mcp__b__one')!;
  expect([server, tool, load]).toEqual(['b', 'one', 'deferred']);
  expect(definition).toEqual(await host.tool('mcp__b__one'));
  const listed = await host.tools({ definitions: true, withServerDefinition: true });
  expect(listed.find(({ name }) => name === 'mcp__b__one')!.serverDefinition).toMatchObject({ item: { name: 'one' } });
});

test('conversations that see the same tools share them', async () => {
  await using scene = openWalk();
  const host = await scene.settle(embed([['a', ['one']]]).options);
  const [first, second] = ['1', '2'].map((session) => host.forModel('openai', { session }).tools);
  expect(first).not.toBe(second);
  expect(first!.at(-1)).toBe(second!.at(-1));
});

test('no model is shown a tool of the host that a rule denies, nor counts the denied ones', async () => {
  await using scene = openWalk();
  const { options } = embed([['a', ['one', 'two']]]);
  const host = await scene.settle({ ...options, permissions: { mode: 'bypass', deny: ['Read', 'mcp__a__one'] } });
  for (const profile of ['anthropic', 'openai', 'gemini'] as const) {
    const shown = JSON.stringify(host.forModel(profile).tools);
    expect([shown.includes('"Read"'), shown.includes('"ToolSearch"')]).toEqual([false, true]);
  }
  const { structuredContent } = await host.call({ name: 'ToolSearch', input: { query: 'two' } });
  expect(structuredContent).toEqual({ matches: ['mcp__a__two'], total: 1 });
});

test('definitions whose file is deleted under a running host are found again, by model and search', async () => {
  await using scene = openWalk();
  scene.configure({ a: scene.walking(['one', 'two']) });
  const host = await lostDefinitions(scene);
  expect(await host.search('one')).toEqual([]);
  await expect.poll(async () => (await host.search('one')).map(({ name }) => name)).toEqual(['mcp__a__one']);
  expect(JSON.stringify(host.forModel('openai').tools)).toContain('mcp__a__two');
});

async function lostDefinitions(scene: WalkScene): Promise<Host> {
  const host = await scene.settle();
  await host[inside].server('a')!.catalog.flush();
  rmSync(join(scene.home, '.cache/plugboard/catalogs'), { recursive: true });
  return host;
}

async function untilTools(host: Host, count: number): Promise<void> {
  await expect.poll(() => host.tools().length).toBe(count);
}
