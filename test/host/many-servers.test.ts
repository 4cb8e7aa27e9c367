import { expect, test } from 'vitest';
import type { Host } from '../../src/host/host.js';
import { inside } from '../../src/host/inside.js';
import { embed } from '../calls/embedded.js';
import { openWalk } from '../calls/walk-scene.js';
import { openScene } from './scene.js';

const SERVERS = 400;
const names = Array.from({ length: SERVERS }, (_, at) => `server-${at}`);

/** Reads of server names during `work`, per server. Comparing every server with every other reads hundreds. */
function readsIn(host: Host, work: () => unknown): number {
  let reads = 0;
  for (const server of [
    ...host[inside].entries(),
    ...host[inside].entries().map(({ name }) => host[inside].server(name)!),
  ]) {
    const { name } = server;
    Object.defineProperty(server, 'name', { get: () => (reads++, name), enumerable: true, configurable: true });
  }
  work();
  return reads / SERVERS;
}

test('the state of many servers is told in one walk over them', async () => {
  await using scene = openScene();
  scene.configure(Object.fromEntries(names.map((name) => [name, { command: 'none', start: 'lazy' }])));
  const { host } = await scene.open({ watch: false });
  const reads = readsIn(host, () => {
    const { servers } = host.state();
    expect(servers.map(({ name }) => name)).toEqual(names);
    expect(servers.every(({ config }) => config?.['command'] === 'none')).toBe(true);
  });
  expect(reads).toBeLessThan(30);
});

test('the same holds for their list, their tools, what a model is shown and what rules mean', async () => {
  await using scene = openWalk();
  const host = await scene.settle({
    ...embed(names.map((name) => [name, ['read']])).options,
    permissions: { deny: ['mcp__other'], allow: ['mcp__server-7__read'] },
  });
  const check = (work: () => unknown): void => expect(readsIn(host, work)).toBeLessThan(60);
  check(() => host.servers());
  check(() => host.tools());
  check(() => host.forModel('anthropic'));
  check(() => expect(host.unmatched().rules.map(({ rule }) => rule.text)).toEqual(['mcp__other']));
  expect(host.permission('mcp__server-7__read')?.behavior).toBe('allow');
});
