import type { JsonObject } from '../../../src/base/json.js';
import { expect, test } from 'vitest';
import { serveFixture } from './fixture-http.js';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const version = { 'MCP-Protocol-Version': '2026-07-28' };
const headers = { ...version, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'echo' };

/** The fixture must notice these mistakes, or no test would show that a client makes them. */
test.each<[string, Sent, number, unknown]>([
  ['nothing', {}, 200, undefined],
  ['the version in the body', { meta: { ...meta, 'io.modelcontextprotocol/protocolVersion': undefined } }, 400, -32020],
  ['the capabilities', { meta: { ...meta, 'io.modelcontextprotocol/clientCapabilities': undefined } }, 400, -32602],
  ['body and headers of this era', { meta: {}, headers: {} }, 400, -32602],
  ['the version in the headers', { headers: { ...headers, 'MCP-Protocol-Version': '' } }, 400, -32020],
  ['the method in the headers', { headers: { ...headers, 'Mcp-Method': 'tools/list' } }, 400, -32020],
  ['the name in the headers', { headers: { ...headers, 'Mcp-Name': 'mirror' } }, 400, -32020],
  ['that there is no session', { headers: { ...headers, 'Mcp-Session-Id': 'one' } }, 400, -32020],
  ['the arguments in the headers', { name: 'region', input: { region: 'eu' } }, 400, -32020],
  ['an argument that is not there', { headers: { ...headers, 'Mcp-Param-Region': 'eu' } }, 400, -32020],
  ['the version', { meta: { ...meta, 'io.modelcontextprotocol/protocolVersion': '2025-11-25' } }, 400, -32020],
  ['the era', { method: 'initialize', meta: {}, headers: {} }, 400, -32022],
  ['the method', { method: 'prompts/list' }, 404, -32601],
])('the fixture of the new era notices whoever gets wrong: %s', async (_, sent, status, code) => {
  await using served = await serveFixture({ speaks: 'modern' }, { answers: 'json' });
  const response = await send(served.url, sent);
  const { error } = (await response.json()) as { error?: JsonObject };
  expect([response.status, error?.['code']]).toEqual([status, code]);
});

test.each(['GET', 'DELETE'])('the fixture of the new era takes no %s', async (method) => {
  await using served = await serveFixture({ speaks: 'modern' }, { answers: 'json' });
  expect((await fetch(served.url, { method })).status).toBe(405);
});

interface Sent {
  readonly method?: string;
  readonly name?: string;
  readonly input?: object;
  readonly meta?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

function send(
  url: string,
  { method = 'tools/call', name = 'echo', input = { text: 'hi' }, ...sent }: Sent,
): Promise<Response> {
  const params = { ...(method === 'tools/call' && { name, arguments: input }), _meta: sent.meta ?? meta };
  const named = { 'Mcp-Method': method, ...(method === 'tools/call' && { 'Mcp-Name': name }) };
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(sent.headers ?? { ...version, ...named }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
}
