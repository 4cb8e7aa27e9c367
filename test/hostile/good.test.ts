import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { unreachable } from '../../src/base/never.js';
import type { Mode } from '../../src/testing/mode.js';
import { modes } from '../../src/testing/modes.js';
import { serveMode } from '../../src/testing/serve-mode.js';
import { socketTransport } from '../contract/socket-transport.js';
import { type Bundle, bundleStdioServer } from './bundle.js';

let server: Bundle;
beforeAll(async () => {
  server = await bundleStdioServer();
});
afterAll(() => server[Symbol.dispose]());

/** A hostile mode must be correct in everything but its attack. The official client checks the modes without one. */
const good = modes.filter(({ name }) => name.startsWith('good-')).map((mode) => [mode.name, mode] as const);

test.each(good)('%s is a good server to the official client, too', async (_, mode) => {
  const versionNegotiation = { mode: mode.era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } as const;
  const client = new Client({ name: 'oracle', version: '1.0.0' }, { versionNegotiation });
  onTestFinished(() => client.close());
  await client.connect(await toTransport(mode));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['echo', 'attack', 'report']);
  const say = async (name: string, input: Record<string, unknown> = {}): Promise<unknown> =>
    (await client.callTool({ name, arguments: input })).content;
  expect(await say('echo', { text: 'hé' })).toEqual([{ type: 'text', text: 'hé' }]);
  expect(await say('attack')).toEqual([{ type: 'text', text: 'survived' }]);
  await expect(client.callTool({ name: 'none', arguments: {} })).rejects.toThrow(/Unknown tool/u);
  const [{ text }] = (await say('report')) as [{ text: string }];
  // Over stdio the official client probes for the modern era in another process, which is not counted here.
  const opening = mode.era === 'modern' ? {} : { initialize: 1, 'notifications/initialized': 1 };
  expect(JSON.parse(text)).toMatchObject({ ...opening, 'tools/call attack': 1, strayed: 0 });
  expect(text).not.toMatch(/mismatch|unmasked|unreadable|without session/u);
});

async function toTransport(mode: Mode): Promise<Transport> {
  if (mode.channel === 'stdio') {
    return new StdioClientTransport({ command: process.execPath, args: [server.script, mode.name], stderr: 'ignore' });
  }
  const served = await serveMode(mode);
  onTestFinished(() => served[Symbol.asyncDispose]());
  const url = new URL(served.url);
  switch (mode.channel) {
    case 'http':
      return new StreamableHTTPClientTransport(url);
    case 'sse':
      return new SSEClientTransport(url);
    case 'ws':
      return socketTransport(new WebSocket(url, 'mcp')) as Transport;
    default:
      return unreachable(mode);
  }
}
