import {
  Client as ClientOf2,
  type ClientOptions,
  StreamableHTTPClientTransport as HttpOf2,
} from '@modelcontextprotocol/client';
import { Client as ClientOf1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpOf1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from './http-fixture.js';

const accepted = { action: 'accept', content: { a: 1 } } as const;

async function openOf1(url: string, fetchOf?: typeof fetch): Promise<ClientOf1> {
  const client = new ClientOf1({ name: 'one', version: '1' }, { capabilities: { elicitation: {}, roots: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => accepted);
  await client.connect(new HttpOf1(new URL(url), fetchOf && { fetch: fetchOf }));
  onTestFinished(() => client.close());
  return client;
}

async function openOf2(
  url: string,
  mode: NonNullable<ClientOptions['versionNegotiation']>['mode'],
): Promise<ClientOf2> {
  const client = new ClientOf2(
    { name: 'two', version: '1' },
    { capabilities: { elicitation: { form: {} }, roots: {} }, ...(mode && { versionNegotiation: { mode } }) },
  );
  client.setRequestHandler('elicitation/create', () => accepted);
  client.setRequestHandler('roots/list', () => ({ roots: [] }));
  await client.connect(new HttpOf2(new URL(url)));
  onTestFinished(() => client.close());
  return client;
}

test.each([{ streamAfterMs: 0 }, { streamAfterMs: 10_000 }])(
  'the client of SDK 1 calls, is asked, reports progress and hears of changes (%o)',
  async (options) => {
    const { url, endpoint } = await serve(options);
    const client = await openOf1(url);
    const heard: string[] = [];
    client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) => void heard.push(method));
    expect(await client.callTool({ name: 'ask' })).toMatchObject({ content: [{ text: JSON.stringify(accepted) }] });
    const progress: unknown[] = [];
    await client.callTool({ name: 'progress' }, undefined, { onprogress: (one) => void progress.push(one) });
    expect(progress).toEqual([{ progress: 1, total: 2 }]);
    await expect.poll(() => endpoint.watches.length).toBe(1);
    endpoint.watches[0]!.tell('notifications/tools/list_changed');
    await expect.poll(() => heard).toEqual(['notifications/tools/list_changed']);
    await expect(client.callTool({ name: 'nothing' })).rejects.toThrow(/Unknown tool/u);
  },
);

test('the client of SDK 1 hears of changes after a restart of the gateway', async () => {
  const secret = randomBytes(32);
  const [before, after] = [await serve({ secret }), await serve({ secret })];
  let current = before;
  const gets: unknown[] = [];
  const client = await openOf1(before.url, async (_, init) => {
    const answer = await fetch(current.url, init);
    if (init?.method === 'GET')
      gets.push([current === after, new Headers(init.headers).has('last-event-id'), answer.status]);
    return answer;
  });
  const heard: string[] = [];
  client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) => void heard.push(method));
  await expect.poll(() => before.endpoint.watches.length).toBe(1);
  current = after;
  await before.serving.drain(0);
  await expect.poll(() => after.endpoint.watches.length).toBe(1);
  after.endpoint.watches[0]!.tell('notifications/tools/list_changed');
  await expect.poll(() => heard).toEqual(['notifications/tools/list_changed']);
  expect(gets).toEqual([
    [false, false, 200],
    [true, true, 200],
  ]);
});

test('the client of SDK 2 answers the questions of a modern server that are relayed', async () => {
  const { url } = await serve();
  const client = await openOf2(url, { pin: '2026-07-28' });
  expect(JSON.stringify(await client.callTool({ name: 'relay' }))).toContain('theirs');
});

test.each([
  { mode: { pin: '2026-07-28' }, speaks: '2026-07-28' },
  { mode: 'auto', speaks: '2026-07-28' },
  { mode: 'legacy', speaks: '2025-11-25' },
] as const)('the client of SDK 2 ($mode) calls and is asked', async ({ mode, speaks }) => {
  const { url, endpoint } = await serve();
  const client = await openOf2(url, mode);
  expect(client.getNegotiatedProtocolVersion()).toBe(speaks);
  expect(await client.callTool({ name: 'ask' })).toMatchObject({ content: [{ text: JSON.stringify(accepted) }] });
  expect(await client.callTool({ name: 'ask-two' })).toMatchObject({
    content: [{ text: JSON.stringify([accepted, { roots: [] }]) }],
  });
  const abort = new AbortController();
  const waiting = client.callTool({ name: 'wait', arguments: { label: 'w' } }, { signal: abort.signal });
  await expect.poll(() => endpoint.requests.at(-1)?.params['name']).toBe('wait');
  abort.abort();
  await expect(waiting).rejects.toThrow(/abort/iu);
  await expect.poll(() => endpoint.aborted).toEqual(['w']);
});
