import type { JsonObject } from '../../base/json.js';
import { expect, test } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.js';
import { discovered, type Received, meet, modernServer, StandIn } from '../../../test/eras/stand-in.js';
import { listPrompts } from './prompt-definition.js';
import { listResources, listTemplates } from './resource-definition.js';
import { listTools } from './tool-definition.js';

const serving = (lists: Readonly<Record<string, object>>): StandIn =>
  modernServer(({ method }: Received) => lists[method]);

test('of resources and templates what has no address, and what comes twice, is left out and counted', async () => {
  await using connection = await meet({
    server: serving({
      'resources/list': {
        resources: [
          { uri: 'a:1', name: 'na\u202eme', title: 'T', description: 'd', mimeType: 'text/plain', size: 1.5 },
          { name: 'no uri' },
          null,
          { uri: 'a:1', name: 'again' },
          { uri: `a:${'x'.repeat(5_000)}`, name: 'long' },
          { uri: 'a:2' },
        ],
      },
      'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'n' }, { uriTemplate: 7 }] },
    }),
  });
  const plain = { title: undefined, description: '', mimeType: undefined };
  expect(await listResources(connection)).toEqual({
    items: [
      { uri: 'a:1', name: 'name', title: 'T', description: 'd', mimeType: 'text/plain', size: undefined },
      { uri: 'a:2', name: 'a:2', ...plain, size: undefined },
    ],
    written: [
      { uri: 'a:1', name: 'na\u202eme', title: 'T', description: 'd', mimeType: 'text/plain', size: 1.5 },
      { uri: 'a:2' },
    ],
    warnings: [
      '3 of its resources are malformed, and left out',
      '1 of its resources come more than once; the first is kept',
    ],
    ttlMs: 0,
  });
  expect(await listTemplates(connection)).toEqual({
    items: [{ uriTemplate: 'a:{b}', name: 'n', ...plain }],
    written: [{ uriTemplate: 'a:{b}', name: 'n' }],
    warnings: ['1 of its resourceTemplates are malformed, and left out'],
    ttlMs: 0,
  });
});

test('of a prompt what is no argument is left out', async () => {
  const capabilities = { prompts: {} };
  const prompts = [
    { name: 'p', arguments: [{ name: 'a', required: 'yes' }, {}, 7, { name: 'b', required: true }] },
    {},
  ];
  const server = modernServer(({ method }) => (method === 'prompts/list' ? { prompts } : undefined));
  await using connection = await meet({ server });
  expect(await listPrompts(connection)).toEqual({ items: [], written: [], warnings: [], ttlMs: 0 });
  Object.assign(connection.session.capabilities, capabilities);
  const { items } = await listPrompts(connection);
  expect(items).toHaveLength(1);
  expect(items[0]!.arguments.map(({ name, required }) => [name, required])).toEqual([
    ['a', false],
    ['b', true],
  ]);
});

test.each([
  ['of all pages the shortest counts', [9_000, 5_000, 7_000], 5_000],
  ['a page that says nothing is not fresh', [9_000, undefined, 7_000], 0],
  ['a server that says for ever is asked again within a day', [1e15], 86_400_000],
  ['what is no time counts for nothing', [-5], 0],
])('%s', async (_, ttls: readonly (number | undefined)[], expected) => {
  const server = modernServer(({ method, params }: Received): JsonObject | undefined => {
    if (method !== 'tools/list') return undefined;
    const page = Number(params['cursor'] ?? 0);
    const nextCursor = page + 1 < ttls.length ? { nextCursor: String(page + 1) } : {};
    return { tools: [], ttlMs: ttls[page], ...nextCursor };
  });
  await using connection = await meet({ server, clock: new FakeClock() });
  expect((await listTools(connection)).ttlMs).toBe(expected);
});

test('in the older era nothing is called fresh', async () => {
  const server = new StandIn(({ method }) =>
    method === 'initialize'
      ? {
          protocolVersion: '2025-11-25',
          capabilities: discovered.capabilities,
          serverInfo: { name: 'o', version: '1' },
        }
      : { tools: [], ttlMs: 5_000 },
  );
  await using connection = await meet({ server, era: 'legacy' });
  expect((await listTools(connection)).ttlMs).toBe(0);
});
