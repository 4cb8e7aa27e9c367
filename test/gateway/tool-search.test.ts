import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import { ask, openGatewayScene } from './gateway-scene.js';
import { listing, namesOf } from './list-servers.js';

const textOf = ({ content }: JsonObject): string => (content as [{ text: string }])[0].text;

const many = Array.from({ length: 40 }, (_, at) => ({ name: `tool_${at}`, description: 'x'.repeat(3_000) }));
const tools = [
  { name: 'feed', description: 'Feeds the lions' },
  { name: 'open', description: 'Opens the gate' },
];

test('a client that asks for a search finds tools and calls them, and rules see the real tool', async () => {
  const entries = { ...listing('zoo', { tools }), ...listing('ark', { tools: ['sail'] }, {}, { alwaysLoad: true }) };
  await using opened = await openGatewayScene(entries, {
    host: { permissions: { mode: 'bypass', deny: ['mcp__zoo__open'] } },
  });
  const endpoint = opened.endpoint('/mcp', 'tools=search');
  expect(namesOf(await ask(endpoint, 'tools/list'), 'tools')).toEqual(['ark__sail', 'call_tool', 'search_tools']);
  const search = (query: unknown): Promise<JsonObject> =>
    ask(endpoint, 'tools/call', { name: 'search_tools', arguments: { query } });
  expect(JSON.parse(textOf(await search('feed lions')))).toEqual({
    name: 'zoo__feed',
    description: 'Feeds the lions',
    inputSchema: { type: 'object' },
  });
  expect(textOf(await search('open gate'))).toContain('No tool matches');
  expect(await search(7)).toMatchObject({ isError: true });
  const call = (name: string): Promise<JsonObject> =>
    ask(endpoint, 'tools/call', { name: 'call_tool', arguments: { name, arguments: { n: 1 } } });
  expect(JSON.parse(textOf(await call('zoo__feed')))).toEqual({ server: 'zoo', name: 'feed', arguments: { n: 1 } });
  expect(textOf(await call('zoo__open'))).toContain('mcp__zoo__open');
  expect(textOf(await call('zoo__fed'))).toContain('Did you mean zoo__feed?');
});

test('a search takes the place of very many tools only', async () => {
  await using opened = await openGatewayScene({ ...listing('few', { tools }), ...listing('many', { tools: many }) });
  const listed = async (path: string): Promise<unknown[]> =>
    namesOf(await ask(opened.endpoint(path, 'tools=auto'), 'tools/list'), 'tools');
  expect(await listed('/mcp/few')).toEqual(['feed', 'open']);
  expect(await listed('/mcp/many')).toEqual(['call_tool', 'search_tools']);
});

test('a preset may ask for the search, and a tool of that name keeps it', async () => {
  const settings = { gateway: { presets: { found: { list: 'search' } } } };
  await using opened = await openGatewayScene(listing('zoo', { tools: ['call_tool'] }), { settings });
  expect(namesOf(await ask(opened.endpoint('/mcp/@found'), 'tools/list'), 'tools')).toEqual([
    'call_tool',
    'search_tools',
  ]);
  const plain = await ask(opened.endpoint('/mcp/@found', 'tools=all'), 'tools/list');
  expect(namesOf(plain, 'tools')).toEqual(['zoo__call_tool']);
  expect(namesOf(await ask(opened.endpoint('/mcp/zoo', 'tools=search'), 'tools/list'), 'tools')).toEqual([
    'plugboard_call_tool',
    'search_tools',
  ]);
});
