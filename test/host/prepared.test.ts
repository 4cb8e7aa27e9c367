import { setImmediate as nextTurn } from 'node:timers/promises';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Host } from '../../src/host/host.js';
import { inside } from '../../src/host/inside.js';
import type { ProfileName } from '../../src/model/profiles/profile.js';
import { embed } from '../calls/embedded.js';
import { openWalk, type WalkScene, type WalkTool } from '../calls/walk-scene.js';
import { nastySchemas } from '../profiles/nasty-definitions.js';

const NAMES = ['anthropic', 'openai', 'gemini'] as const;
const nasty = Object.entries(nastySchemas).map(([name, schema]) => ({ name, inputSchema: schema }));

test.each(NAMES)('a turn for %s is the same prepared, half prepared, and not prepared', async (profile) => {
  await using scene = openWalk();
  const servers: [string, WalkTool[]][] = [
    ['nasty', nasty],
    ['many', toTools(2_000)],
    ['few', ['one', { name: 'two', _meta: { 'anthropic/alwaysLoad': true } }]],
  ];
  const open = (): Promise<Host> => scene.settle(embed(servers).options);
  const [bare, half, whole] = await Promise.all([open(), open(), open()]);
  void half.prepared(profile);
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  await whole.prepared(profile);
  const [first, ...others] = [bare, half, whole].map((host) => turnOf(host, profile));
  for (const other of others) expect(other).toBe(first);
  expect(first).toContain('mcp__many__tool_1999');
  const [again, ...rest] = [bare, half, whole].map((host) => turnOf(host, profile, 'another'));
  for (const other of rest) expect(other).toBe(again);
});

test('preparing lets other work run in between', async () => {
  await using scene = openWalk();
  const host = await scene.settle(embed([['many', toTools(3_000)]]).options);
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  await host.prepared('anthropic');
  clearInterval(counting);
  expect(turns).toBeGreaterThan(1);
});

test('a prepared turn reads no definition that it does not show, and a list that changes is prepared unasked', async () => {
  await using scene = openWalk();
  const { options, servers } = embed([
    ['a', toTools(50)],
    ['b', ['one']],
  ]);
  const host = await scene.settle(options);
  await host.prepared('openai');
  await loseDefinitions(scene, host, 'a');
  expect(host.forModel('openai', { toolSearch: 'always' }).system).toContain('\nmcp__a__tool_49');
  servers.get('b')!.set(['one', 'two']);
  await expect.poll(() => host.tools().length).toBe(52);
  await host.prepared('openai');
  await loseDefinitions(scene, host, 'b');
  expect(host.forModel('openai', { toolSearch: 'always' }).news).toContain('has new tools: mcp__b__two');
  // What nobody has prepared is not known without them.
  expect(host.forModel('gemini', { toolSearch: 'always' }).system).not.toContain('mcp__b__two');
});

test('after a first turn lists that change are prepared, too', async () => {
  await using scene = openWalk();
  const { options, servers } = embed([['a', ['one']]]);
  const host = await scene.settle(options);
  host.forModel('gemini', { toolSearch: 'always' });
  servers.get('a')!.set(['one', 'two']);
  await expect.poll(() => host.tools().length).toBe(2);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  await loseDefinitions(scene, host, 'a');
  expect(host.forModel('gemini', { toolSearch: 'always' }).news).toContain('has new tools: mcp__a__two');
});

test('preparing reserves no name: that is for tools that a model has been shown', async () => {
  const names: (readonly string[])[] = [];
  for (const isPrepared of [true, false]) {
    await using scene = openWalk();
    const { options, servers } = embed([
      ['x', ['y__z']],
      ['x__y', []],
    ]);
    const host = await scene.settle(options);
    if (isPrepared) await host.prepared('openai');
    servers.get('x__y')!.set(['z']);
    await expect.poll(() => host.tools().length).toBe(2);
    names.push(host.tools().map(({ server, name }) => `${server} ${name}`));
  }
  expect(names[0]).toEqual(names[1]);
});

test('preparing ends with its signal and with its host, and an unknown API is refused', async () => {
  await using scene = openWalk();
  const host = await scene.settle(embed([['many', toTools(2_000)]]).options);
  await expect(host.prepared('mistral' as ProfileName)).rejects.toMatchObject({ code: 'usage' });
  await host.prepared('openai', { signal: AbortSignal.abort() });
  const prepared = host.prepared('openai');
  await host.close();
  await prepared;
  await host.prepared('openai');
});

function turnOf(host: Host, profile: ProfileName, session = ''): string {
  const { tools, system, news, setAside, repairs, leftOut, cost, told } = host.forModel(profile, { session });
  return JSON.stringify({ tools, system, news, setAside, repairs, leftOut, cost: cost(), told: told() });
}

/** The catalog is written, and its file deleted: definitions are nowhere any more. */
async function loseDefinitions(scene: WalkScene, host: Host, server: string): Promise<void> {
  await host[inside].server(server)!.catalog.flush();
  rmSync(join(scene.home, '.cache/plugboard/catalogs'), { recursive: true });
}

function toTools(count: number): WalkTool[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `tool_${at}`,
    description: `Does things of kind ${at}. ${'Use it well. '.repeat(20)}`,
    inputSchema: { type: 'object', properties: { path: { type: 'string', description: 'Where' } } },
  }));
}
