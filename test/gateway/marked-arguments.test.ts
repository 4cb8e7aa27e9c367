import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import { openGateway } from '../../src/gateway/serve/open-gateway.js';
import { type Entries, openScene } from '../host/scene.js';
import { envelope, post, responseOf } from '../serving/http-fixture.js';
import { listing } from './list-servers.js';

const marked = (header: string): object => ({
  name: 'move',
  inputSchema: { type: 'object', properties: { to: { type: 'string', 'x-mcp-header': header } } },
});

/** Opens a gateway; `move` calls a tool with an argument, and with the headers that a client made of it. */
async function openMoves(entries: Entries, isSettled: boolean) {
  const scene = openScene();
  scene.configure(entries);
  const { host } = await scene.open({ serves: true });
  if (isSettled) await host.settled();
  const gateway = await openGateway({ host });
  const listening = await gateway.listen({ key: 'none' });
  return {
    async move(headers: Record<string, string>, { name = 'zoo__move', to = 'north' } = {}): Promise<string> {
      const params: JsonObject = { name, arguments: { to }, _meta: envelope() };
      const own = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name, ...headers };
      const answer = await post(listening.url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, own);
      const { error, result } = await responseOf(answer);
      if (error) return `${answer.status} ${error.code}`;
      return 'isError' in result && result.isError === true ? 'failed' : 'sent';
    },
    host,
    async [Symbol.asyncDispose]() {
      await listening[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
      await scene[Symbol.asyncDispose]();
    },
  };
}

const MISMATCH = '400 -32020';

test.each([
  ['of a server that is known', true],
  ['of a server that has not listed its tools yet', false],
])('a first call %s is compared with the headers that repeat its arguments', async (_, isSettled) => {
  await using opened = await openMoves(listing('zoo', { tools: [marked('Where')] }), isSettled);
  expect(await opened.move({})).toBe(MISMATCH);
  expect(await opened.move({ 'mcp-param-where': 'south' })).toBe(MISMATCH);
  expect(await opened.move({ 'mcp-param-where': 'north' })).toBe('sent');
  expect(await opened.move({ 'mcp-param-other': 'south', 'mcp-param-where': 'north' })).toBe('sent');
});

test('a tool that is marked otherwise now is compared by its new marks', async () => {
  const tools = [marked('Where'), 'set'];
  await using opened = await openMoves(listing('zoo', { tools }), true);
  expect(await opened.move({ 'mcp-param-where': 'north' })).toBe('sent');
  const listed = new Promise((done) => opened.host.on('catalog', done));
  const set = { list: 'tools', items: [marked('Whither'), 'set'] };
  await opened.host.call({ name: 'mcp__zoo__set', input: set });
  await listed;
  expect(await opened.move({ 'mcp-param-where': 'north' })).toBe(MISMATCH);
  expect(await opened.move({ 'mcp-param-whither': 'north' })).toBe('sent');
});
