import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { serve } from './http-fixture.js';

test('the official client of 2024 calls and is asked over HTTP+SSE', async () => {
  const { listener, endpoint } = await serve({ sse: true });
  const client = new Client({ name: 'old', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { a: 1 } }));
  await client.connect(new SSEClientTransport(new URL(`${listener.origin}/sse`)));
  expect(client.getServerVersion()?.name).toBe('fixture');
  expect(await client.callTool({ name: 'ask' })).toMatchObject({
    content: [{ text: '{"action":"accept","content":{"a":1}}' }],
  });
  await client.close();
  await expect.poll(() => endpoint.clientsLeft.length).toBe(1);
});

test('HTTP+SSE is off unless it is asked for', async () => {
  const { listener } = await serve();
  expect((await fetch(`${listener.origin}/sse`)).status).toBe(404);
});
