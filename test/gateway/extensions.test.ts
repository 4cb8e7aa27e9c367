import { expect, test } from 'vitest';
import { inside } from '../../src/host/inside.js';
import { ask, openGatewayScene, testClient } from './gateway-scene.js';
import { listing } from './list-servers.js';

const UI = 'io.modelcontextprotocol/ui';
const client = testClient({
  capabilities: { extensions: { [UI]: { mimeTypes: ['text/html;profile=mcp-app'] }, 'acme/own': {} } },
});

test('extensions are told in both directions, with those of all servers together', async () => {
  const entries = {
    ...listing('zoo', { tools: ['a'] }, { capabilities: { extensions: { [UI]: { a: 1 }, 'acme/zoo': {} } } }),
    ...listing('ark', { tools: ['b'] }, { capabilities: { extensions: { [UI]: { b: 2 } } } }),
  };
  await using opened = await openGatewayScene(entries);
  const all = await opened.endpoint().describe(client);
  expect(all.capabilities['extensions']).toEqual({ [UI]: { a: 1, b: 2 }, 'acme/zoo': {} });
  const ark = await opened.endpoint('/mcp/ark').describe(client);
  expect(ark.capabilities['extensions']).toEqual({ [UI]: { b: 2 } });
  await ask(opened.endpoint(), 'tools/call', { name: 'zoo__a' }, { client });
  const [lane] = opened.host[inside].lanes.states();
  expect(lane?.capabilities['extensions']).toEqual(client.capabilities['extensions']);
});

test('settings of an extension that are far too long are left out', async () => {
  const says = { capabilities: { extensions: { 'acme/long': { text: 'x'.repeat(100_000) } } } };
  await using opened = await openGatewayScene(listing('zoo', { tools: ['a'] }, says));
  const { capabilities } = await opened.endpoint().describe(client);
  expect(capabilities['extensions']).toEqual({ 'acme/long': {} });
});
