import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { EndpointChange, Endpoint, WatchedChanges } from '../../src/serving/endpoint.js';
import { ask, openGatewayScene, testClient } from './gateway-scene.js';
import { listing } from './list-servers.js';

const ALL: WatchedChanges = { tools: true, prompts: true, resources: true, uris: [], tasks: [] };

/** What a client is told, and a promise of the next of it. */
function watched(endpoint: Endpoint, wanted: Partial<WatchedChanges> = {}) {
  const told: EndpointChange[] = [];
  let hear: (() => void) | undefined;
  const watch = endpoint.watch(testClient(), { ...ALL, ...wanted }, (change) => {
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
