import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Host } from '../../src/host/host.js';
import { inside } from '../../src/host/inside.js';
import type { ServerValue } from '../../src/model/value/server-value.js';
import { embed } from '../calls/embedded.js';
import { openWalk, type WalkScene } from '../calls/walk-scene.js';

const valueOf = async (host: Host, name: string): Promise<ServerValue> =>
  (await host.value()).servers.find((one) => one.name === name)!;
const ledgerOf = ({ home }: WalkScene): string => join(home, '.local/state/plugboard/ledger');

test('an embedder reads what servers cost and brought: turns, calls, errors, results and the time', async () => {
  await using scene = openWalk();
  const { options } = embed([
    ['a', ['one', { name: 'two', description: 'x'.repeat(400) }]],
    ['b', ['three']],
  ]);
  const host = await scene.settle(options);
  for (let turn = 0; turn < 3; turn++) host.forModel('anthropic', { session: 's' });
  const { servers } = host.forModel('anthropic', { session: 's' }).cost();
  await host.call({ name: 'mcp__a__one', input: { n: 1 } });
  const { tokens } = await lastLine(scene, host);
  const report = await host.value();
  expect(report).toMatchObject({ days: 30, turns: 4, ledger: { lostCalls: 0, unread: [] } });
  const a = await valueOf(host, 'a');
  const cost = servers.find(({ name }) => name === 'a')!;
  expect(a).toMatchObject({
    configured: true,
    turns: 4,
    toldTurns: 4,
    definitions: cost.loaded,
    deferred: 0,
    instructions: 0,
    told: 4 * cost.loaded,
    calls: 1,
    errors: 0,
    results: tokens,
    lastUsed: expect.any(String),
  });
  expect(a.tools).toMatchObject([
    { name: 'mcp__a__one', tool: 'one', calls: 1, toldTurns: 4 },
    {
      name: 'mcp__a__two',
      tool: 'two',
      calls: 0,
      definition: cost.tools.find(({ name }) => /two/u.test(name))!.tokens,
    },
  ]);
  // Four turns say nothing about a server that was not called.
  expect((await valueOf(host, 'b')).advice).toBeUndefined();
});

/** The last line of the ledger, once the host has written it. */
async function lastLine(scene: WalkScene, host: Host): Promise<{ readonly tokens?: number }> {
  await host.value();
  return JSON.parse(scene.ledgerText().trimEnd().split('\n').at(-1)!) as { tokens?: number };
}

test('turns of forks count, a look at what a conversation would cost does not', async () => {
  await using scene = openWalk();
  const host = await scene.settle(embed([['a', ['one', 'two']]]).options);
  host[inside].cost('anthropic', {});
  expect((await host.value()).turns).toBe(0);
  host.forModel('anthropic');
  const whole = (await valueOf(host, 'a')).definitions;
  await using fork = host.fork({ tools: ['mcp__a__one'] });
  fork.forModel('anthropic');
  fork.forModel('anthropic');
  const a = await valueOf(host, 'a');
  expect([a.turns, a.definitions]).toEqual([3, whole]);
  expect(a.told).toBeLessThan(3 * whole);
  expect(a.tools.map(({ tool, toldTurns }) => [tool, toldTurns])).toEqual([
    ['one', 3],
    ['two', 1],
  ]);
});

test('a change of a server that the prompt did not follow is a cache break avoided, of that server', async () => {
  await using scene = openWalk();
  const { options, servers } = embed([
    ['a', ['one']],
    ['b', ['two']],
  ]);
  const host = await scene.settle(options);
  host.forModel('anthropic');
  servers.get('a')!.set(['one', 'more']);
  await expect.poll(() => host.tools().length).toBe(3);
  const { changed } = host.forModel('anthropic').cost();
  host.forModel('anthropic');
  expect((await host.value()).cacheBreaksAvoided).toEqual({ count: 1, tokens: changed.tokens });
  expect((await valueOf(host, 'a')).cacheBreaksAvoided).toEqual({ count: 1, tokens: changed.tokens });
  expect((await valueOf(host, 'b')).cacheBreaksAvoided).toEqual({ count: 0, tokens: 0 });
});

test('two hosts that write at once are one ledger', async () => {
  await using scene = openWalk();
  const hosts = await Promise.all([1, 2].map(() => scene.settle(embed([['a', ['one']]]).options)));
  for (let turn = 0; turn < 30; turn++) {
    for (const host of hosts) {
      host.forModel('anthropic');
      await host.call({ name: 'mcp__a__one', input: { turn } });
    }
  }
  await hosts[0]!.value();
  expect(await valueOf(hosts[1]!, 'a')).toMatchObject({ toldTurns: 60, calls: 60 });
});

test('with persist: false nothing is written, and the report is empty', async () => {
  await using scene = openWalk();
  const host = await scene.settle({ ...embed([['a', ['one']]]).options, persist: false });
  host.forModel('anthropic');
  const { turns, ledger, servers } = await host.value();
  expect([turns, 'folder' in ledger, servers.map(({ name, calls }) => [name, calls])]).toEqual([0, false, [['a', 0]]]);
  await host.close();
  expect(existsSync(join(scene.home, '.local'))).toBe(false);
});

test('wrong options, a folder that is none, and a caller that stops waiting are errors with a code', async () => {
  await using scene = openWalk();
  const host = await scene.settle(embed([['a', ['one']]]).options);
  for (const days of [0, -1, 1.5, 1e9, Number.NaN, '7'])
    await expect(host.value({ days } as object)).rejects.toMatchObject({ code: 'usage' });
  await expect(host.value({ day: 7 } as object)).rejects.toMatchObject({ code: 'usage', hint: 'Did you mean days?' });
  expect(await host.value({ days: 1 })).toMatchObject({ days: 1, turns: 0 });
  mkdirSync(join(scene.home, '.local/state/plugboard'), { recursive: true });
  writeFileSync(ledgerOf(scene), 'no folder');
  await expect(host.value()).rejects.toMatchObject({ code: 'config-unreadable' });
});

test('a value that nobody waits for any more is cancelled', async () => {
  await using scene = openWalk();
  const host = await scene.settle(embed([['a', ['one']]]).options);
  await host.call({ name: 'mcp__a__one' });
  await expect(host.value({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
});
