import { expect, test } from 'vitest';
import { envelope, eventsOf, initialize, messagesOf, modern, post, responseOf, serve } from './http-fixture.js';

// What is told when a gateway is about to end: how many requests it waits for.

/** More characters than the buffers of a connection take. */
const LARGE = 24_000_000;

test('a gateway that ends says how many requests it waits for, streams of clients aside', async () => {
  const { url, endpoint, serving } = await serve({ sse: true });
  const headers = { 'mcp-session-id': await initialize(url), accept: 'text/event-stream' };
  const stream = await fetch(url, { headers });
  const notifications = { toolsListChanged: true };
  const listen = { method: 'subscriptions/listen', params: { notifications, _meta: envelope() } };
  const subscribed = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': listen.method };
  const subscription = await post(url, { jsonrpc: '2.0', id: 's', ...listen }, subscribed);
  const old = await fetch(new URL('/sse', url), { headers: { accept: 'text/event-stream' } });
  expect([stream.status, subscription.status, old.status]).toEqual([200, 200, 200]);
  const calls = ['one', 'two'].map((label) => modern(url, label, 'wait', { arguments: { label } }));
  await expect.poll(() => endpoint.requests.length).toBe(2);
  const told: number[] = [];
  const drained = serving.drain(600_000, (requests) => void told.push(requests));
  expect(told).toEqual([2]);
  for (const label of ['one', 'two']) endpoint.release(label);
  for (const call of calls) expect(await responseOf(await call)).toHaveProperty('result');
  await Promise.all([stream, subscription, old].map((answer) => answer.text()));
  await drained;
});

test('a gateway that ends says nothing where there is nothing to wait for', async () => {
  const { url, serving } = await serve();
  const answer = await fetch(url, {
    headers: { 'mcp-session-id': await initialize(url), accept: 'text/event-stream' },
  });
  const told: number[] = [];
  await Promise.all([serving.drain(600_000, (requests) => void told.push(requests)), answer.text()]);
  expect(told).toEqual([]);
});

test.each([
  { accept: 'application/json, text/event-stream', type: 'application/json' },
  { accept: 'text/event-stream', type: 'text/event-stream' },
])('a gateway that ends waits for the client that still reads its result ($type)', async ({ accept, type }) => {
  const { url, serving } = await serve();
  const session = { 'mcp-session-id': await initialize(url), accept };
  const params = { name: 'large', arguments: { size: LARGE } };
  const answer = await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, session);
  expect(answer.headers.get('content-type')).toBe(type);
  const told: number[] = [];
  const drained = serving.drain(600_000, (requests) => void told.push(requests));
  expect([told, serving.open]).toEqual([[1], 1]);
  expect((await answer.text()).length).toBeGreaterThan(LARGE);
  await drained;
  expect(serving.open).toBe(0);
});

test('a gateway that ends waits for calls of clients that take JSON alone', async () => {
  const { url, endpoint, serving } = await serve();
  const headers = { 'mcp-session-id': await initialize(url), accept: 'application/json' };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', arguments: { label: 'w' } } };
  const answer = post(url, call, headers);
  await expect.poll(() => endpoint.requests.length).toBe(1);
  const told: number[] = [];
  const drained = serving.drain(600_000, (requests) => void told.push(requests));
  expect(told).toEqual([1]);
  endpoint.release('w');
  expect(await responseOf(await answer)).toHaveProperty('result');
  await drained;
});

test('a gateway that ends waits for the rest of a call that its client has come back for', async () => {
  const { url, endpoint, serving } = await serve({ streamAfterMs: 0 });
  const session = { 'mcp-session-id': await initialize(url) };
  const last = await leaveCall(url, session);
  await expect.poll(() => serving.open).toBe(0);
  const rest = await fetch(url, { headers: { ...session, accept: 'text/event-stream', 'last-event-id': last } });
  const told: number[] = [];
  const drained = serving.drain(600_000, (requests) => void told.push(requests));
  expect(told).toEqual([1]);
  endpoint.release('w');
  expect(await messagesOf(rest)).toMatchObject([{ id: 1, result: {} }]);
  await drained;
});

test('a gateway that ends waits for no client that does not read its subscription', async () => {
  const { url, endpoint, serving } = await serve();
  const listen = {
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true }, _meta: envelope() },
  };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': listen.method };
  const abort = new AbortController();
  await eventsOf(await post(url, { jsonrpc: '2.0', id: 's', ...listen }, headers, abort.signal)).next();
  endpoint.watches[0]!.tell('x'.repeat(LARGE));
  const told: number[] = [];
  await serving.drain(600_000, (requests) => void told.push(requests));
  expect([told, serving.open]).toEqual([[], 1]);
  abort.abort();
});

test('a gateway that ends waits for no connection whose client goes on over another', async () => {
  const { url, endpoint, serving } = await serve({ streamAfterMs: 0 });
  const session = { 'mcp-session-id': await initialize(url) };
  const params = { name: 'wait', arguments: { label: 'w', size: LARGE }, _meta: { progressToken: 1 } };
  const abort = new AbortController();
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const reader = (await post(url, call, session, abort.signal)).body!.getReader();
  const id = /id: (.*)-0/u.exec(new TextDecoder().decode((await reader.read()).value))![1]!;
  const headers = { ...session, accept: 'text/event-stream', 'last-event-id': `${id}-1` };
  const rest = await fetch(url, { headers });
  expect(serving.open).toBe(2);
  const told: number[] = [];
  const drained = serving.drain(600_000, (requests) => void told.push(requests));
  expect(told).toEqual([1]);
  endpoint.release('w');
  expect(await messagesOf(rest)).toMatchObject([{ id: 1, result: {} }]);
  await drained;
  abort.abort();
});

test('a gateway that ends opens no stream for changes any more, and still gives the rest of a call', async () => {
  const { url, endpoint, serving } = await serve({ streamAfterMs: 0 });
  const session = { 'mcp-session-id': await initialize(url) };
  const listening = { ...session, accept: 'text/event-stream' };
  const last = await leaveCall(url, session);
  const waiting = modern(url, 2, 'wait', { arguments: { label: 'v' } });
  await expect.poll(() => endpoint.requests.length).toBe(2);
  const drained = serving.drain(600_000);
  const listen = { method: 'subscriptions/listen', params: { notifications: {}, _meta: envelope() } };
  const subscribing = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': listen.method };
  const refused = [
    await fetch(url, { headers: listening }),
    await post(url, { jsonrpc: '2.0', id: 's', ...listen }, subscribing),
  ];
  expect(refused.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
    [503, '1'],
    [503, '1'],
  ]);
  const rest = await fetch(url, { headers: { ...listening, 'last-event-id': last } });
  endpoint.release('w');
  expect(await messagesOf(rest)).toMatchObject([{ id: 1 }]);
  endpoint.release('v');
  expect(await responseOf(await waiting)).toHaveProperty('result');
  await drained;
});

/** Calls `wait` with the id 1 and the label `w`, and leaves. Returns the id of the first event. */
async function leaveCall(url: string, session: Record<string, string>): Promise<string> {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', arguments: { label: 'w' } } };
  const abort = new AbortController();
  const { value } = await eventsOf(await post(url, call, session, abort.signal)).next();
  abort.abort();
  return value!.id!;
}
