import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Client, EndpointChange, Endpoint, WatchedChanges } from '../../src/serving/endpoint.js';
import { ask, type GatewayScene, openGatewayScene, testClient } from './gateway-scene.js';
import { listing } from './list-servers.js';

const ALL: WatchedChanges = { tools: true, prompts: true, resources: true, uris: [], tasks: [] };

/** What a client is told, and a promise of the next of it. */
function watched(endpoint: Endpoint, wanted: Partial<WatchedChanges> = {}, client: Client = testClient()) {
  const told: EndpointChange[] = [];
  let hear: (() => void) | undefined;
  const watch = endpoint.watch(client, { ...ALL, ...wanted }, (change) => {
    told.push(change);
    hear?.();
  });
  const next = (): Promise<void> => new Promise((resolve) => (hear = resolve));
  return { told, watch, next };
}

test('a client is told of a change of its own lists, once, and the clients of other lists are not', async () => {
  const entries = { ...listing('zoo', { tools: ['set', 'a'] }), ...listing('ark', { tools: ['b'] }) };
  const settings = { gateway: { presets: { calm: { servers: ['zoo'], tools: ['mcp__zoo__a'] } } } };
  await using opened = await openGatewayScene(entries, { settings });
  const all = watched(opened.endpoint());
  const ark = watched(opened.endpoint('/mcp/ark'));
  const calm = watched(opened.endpoint('/mcp/@calm'));
  await ask(opened.endpoint('/mcp/@calm'), 'tools/list');
  await ask(opened.endpoint('/mcp/ark'), 'tools/list');
  const heard = all.next();
  const set = { name: 'zoo__set', arguments: { list: 'tools', items: ['set', 'a', 'c'] } };
  await ask(opened.endpoint(), 'tools/call', set);
  await heard;
  const tools = { method: 'notifications/tools/list_changed', params: {} };
  expect(all.told).toEqual([tools]);
  const zoo = watched(opened.endpoint('/mcp/zoo'));
  const again = zoo.next();
  await ask(opened.endpoint(), 'tools/call', { ...set, arguments: { list: 'tools', items: ['set', 'a', 'd'] } });
  await again;
  expect([ark.told, calm.told, zoo.told]).toEqual([[], [], [tools]]);
});

test('a client is told when a resource changes that it watches, and not after it has left', async () => {
  const resources = [{ uri: 'zoo://a', name: 'a' }];
  await using opened = await openGatewayScene(listing('zoo', { tools: ['touch'], resources }));
  const { told, watch, next } = watched(opened.endpoint(), { tools: false, uris: ['zoo://a'] });
  expect(await watch.honoured).toEqual({ ...ALL, tools: false, uris: ['zoo://a'] });
  const heard = next();
  const touch = (): Promise<unknown> =>
    ask(opened.endpoint(), 'tools/call', { name: 'zoo__touch', arguments: { uri: 'zoo://a' } });
  await touch();
  await heard;
  expect(told).toEqual([{ method: 'notifications/resources/updated', params: { uri: 'zoo://a' } }]);
  watch[Symbol.dispose]();
  await touch();
  await sleep(0);
  expect(told).toHaveLength(1);
});

test('a client that watches a resource has read nothing: the flow guard asks it nothing', async () => {
  const resources = [{ uri: 'zoo://a', name: 'a' }];
  await using opened = await openGatewayScene(listing('zoo', { tools: ['touch'], resources }));
  const client = testClient({ capabilities: { elicitation: {} }, answers: () => ({ action: 'decline' }) });
  using watching = watched(opened.endpoint(), { uris: ['zoo://a'] }, client).watch;
  expect((await watching.honoured).uris).toEqual(['zoo://a']);
  await ask(opened.endpoint(), 'tools/call', { name: 'zoo__touch', arguments: { uri: 'zoo://b' } }, { client });
  expect(client.asked).toEqual([]);
});

const RESOURCES = Array.from({ length: 30 }, (_, at) => ({ uri: `zoo://${at}`, name: String(at) }));
const ZOO = listing('zoo', { tools: ['touch'], resources: RESOURCES });
const URIS = RESOURCES.map(({ uri }) => uri);
const NO_LISTS = { tools: false, prompts: false, resources: false };

/** A server with resources, and how often the pipeline has decided about a watch. */
async function openWatched(): Promise<GatewayScene & { decided: () => number }> {
  let count = 0;
  const hook = { matcher: 'mcp__zoo__resources', run: () => void count++ };
  const host = { hooks: { preToolUse: [hook] } };
  return Object.assign(await openGatewayScene(ZOO, { host }), { decided: () => count });
}

async function touchAt(endpoint: Endpoint, uri: string, client = testClient()): Promise<void> {
  await ask(endpoint, 'tools/call', { name: 'zoo__touch', arguments: { uri } }, { client });
}

test('what clients on one line watch is asked for once, and told until the last of them leaves', async () => {
  await using opened = await openWatched();
  const client = testClient();
  const wanted = { ...NO_LISTS, uris: URIS };
  const endpoint = opened.endpoint();
  const streams = Array.from({ length: 20 }, () => watched(endpoint, wanted, client));
  for (const { watch } of streams) expect((await watch.honoured).uris).toEqual(URIS);
  expect(opened.decided()).toBe(URIS.length);
  const last = streams.pop()!;
  for (const { watch } of streams) watch[Symbol.dispose]();
  const heard = last.next();
  await touchAt(endpoint, 'zoo://7', client);
  await heard;
  expect(last.told).toEqual([{ method: 'notifications/resources/updated', params: { uri: 'zoo://7' } }]);
  expect(streams.flatMap(({ told }) => told)).toEqual([]);
  last.watch[Symbol.dispose]();
  const again = watched(endpoint, wanted, client);
  expect((await again.watch.honoured).uris).toEqual(URIS);
  expect(opened.decided()).toBe(2 * URIS.length);
});

test('a client on a line of its own has its watches decided for itself', async () => {
  await using opened = await openWatched();
  const [one, other] = ['one', 'other'].map((owner) =>
    watched(opened.endpoint(), { ...NO_LISTS, uris: ['zoo://1'] }, testClient({ owner })),
  );
  await Promise.all([one!.watch.honoured, other!.watch.honoured]);
  expect(opened.decided()).toBe(2);
});

test('a rule that comes later decides about the next client, although others watch the resource', async () => {
  await using opened = await openWatched();
  const client = testClient();
  const before = watched(opened.endpoint(), { ...NO_LISTS, uris: ['zoo://1'] }, client);
  await before.watch.honoured;
  const changed = new Promise<void>((resolve) => {
    opened.host.on('config', () => resolve());
  });
  opened.scene.configure(ZOO, { permissions: { deny: ['mcp__zoo__resources'] } });
  await changed;
  const after = watched(opened.endpoint(), { ...NO_LISTS, uris: ['zoo://1'] }, client);
  expect((await after.watch.honoured).uris).toEqual([]);
});

test('a resource that a client adds is watched, and those that it has are not asked for again', async () => {
  await using opened = await openWatched();
  const client = testClient();
  const { watch, told, next } = watched(opened.endpoint(), { ...NO_LISTS, uris: URIS.slice(0, 20) }, client);
  await watch.honoured;
  await watch.add('zoo://25');
  expect(opened.decided()).toBe(21);
  const heard = next();
  await touchAt(opened.endpoint(), 'zoo://25', client);
  await heard;
  watch.remove('zoo://25');
  const second = next();
  await touchAt(opened.endpoint(), 'zoo://25', client);
  await touchAt(opened.endpoint(), 'zoo://3', client);
  await second;
  expect(told.map(({ params }) => params['uri'])).toEqual(['zoo://25', 'zoo://3']);
});
