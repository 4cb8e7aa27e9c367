import { expect, test } from 'vitest';
import { diagnosedServers } from '../../src/actions/health/diagnosed-error.js';
import { ServerNews } from '../../src/cli/session/display/server-news.js';
import { diagnose } from '../../src/host/diagnose.js';
import type { Host } from '../../src/host/host.js';
import { inside } from '../../src/host/inside.js';
import { embed } from '../calls/embedded.js';
import { openWalk } from '../calls/walk-scene.js';
import { computedMs } from '../computed.js';
import { FakeScreen } from '../session/fake-screen.js';
import { openScene } from './scene.js';

const SERVERS = 400;
const names = Array.from({ length: SERVERS }, (_, at) => `server-${at}`);

/** Reads of server names during `work`, per server. Comparing every server with every other reads hundreds. */
function readsIn(host: Host, work: () => unknown): number {
  const reads = countReads(host);
  work();
  return reads();
}

function countReads(host: Host): () => number {
  let reads = 0;
  for (const server of [
    ...host[inside].entries(),
    ...host[inside].entries().map(({ name }) => host[inside].server(name)!),
  ]) {
    const { name } = server;
    Object.defineProperty(server, 'name', { get: () => (reads++, name), enumerable: true, configurable: true });
  }
  return () => reads / SERVERS;
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

test('many servers that fail are told of in one walk over them', async () => {
  await using scene = openWalk();
  const host = await scene.settle({ embedded: new Map(), mcpConfig: [configOf('in-process')] });
  const missing = host.servers().map(({ name }) => {
    const { status } = host[inside].server(name)!;
    if (!('error' in status)) throw new Error(`${name} should have failed`);
    return { name, error: status.error };
  });
  expect(missing).toHaveLength(SERVERS);
  const reads = countReads(host);
  const told = await diagnosedServers(missing, host);
  expect(told.map(({ name, error }) => error.message.includes(`"${name}"`))).toEqual(names.map(() => true));
  await diagnose(host[inside].loaded, { host: host[inside] });
  expect(reads()).toBeLessThan(100);
});

test('disabling and enabling many servers, one after the other, looks at each alone', async () => {
  await using scene = openWalk();
  const host = await scene.settle(embed(names.map((name) => [name, ['read']])).options);
  const statuses = (): string[] => [...new Set(host.servers().map(({ status }) => status))];
  const reads = readsIn(host, () => {
    for (const name of names) host.disable(name);
    expect(statuses()).toEqual(['disabled']);
    for (const name of names) host.enable(name);
  });
  expect(reads).toBeLessThan(60);
  await host.settled();
  expect(statuses()).toEqual(['connected']);
});

test('a session looks at its servers a few times while many of them connect', async () => {
  await using scene = openWalk();
  const { host } = await scene.open({ watch: false, ...embed(names.map((name) => [name, ['read']])).options });
  const servers = host.servers.bind(host);
  let looks = 0;
  Object.defineProperty(host, 'servers', { value: () => (looks++, servers()) });
  using _ = new ServerNews({ host, screen: new FakeScreen(), mayWrite: () => true });
  await host.settled();
  expect(servers().every(({ status }) => status === 'connected')).toBe(true);
  expect(looks).toBeLessThan(SERVERS / 4);
});

test('ten times as many servers take no more than about ten times the work', async () => {
  await costOf(1_000); // V8 compiles
  const [one, ten] = [await costOf(1_000), await costOf(10_000)];
  expect(ten / one).toBeLessThan(40); // work that is done for each pair of servers would be a hundred times as much
});

/** What opening a host with many servers, its state and closing it compute. */
async function costOf(count: number): Promise<number> {
  await using scene = openScene();
  scene.configure(Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, { command: 'none' }])));
  const before = computedMs();
  const { host } = await scene.open({ watch: false, start: 'lazy' });
  expect(host.state().servers).toHaveLength(count);
  await host.close();
  return computedMs() - before;
}

function configOf(type: string): string {
  return JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { type, name }])) });
}
