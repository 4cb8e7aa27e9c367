import { expect, test } from 'vitest';
import { envelope, eventsOf, initialize, messagesOf, modern, post, responseOf, serve } from './http-fixture.js';

// What is told when a gateway is about to end: how many requests it waits for.

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

test('a gateway that ends opens no stream for changes any more, and still gives the rest of a call', async () => {
  const { url, endpoint, serving } = await serve({ streamAfterMs: 0 });
  const session = { 'mcp-session-id': await initialize(url) };
  const listening = { ...session, accept: 'text/event-stream' };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', arguments: { label: 'w' } } };
  const abort = new AbortController();
  const { value } = await eventsOf(await post(url, call, session, abort.signal)).next();
  const waiting = modern(url, 2, 'wait', { arguments: { label: 'v' } });
  await expect.poll(() => endpoint.requests.length).toBe(2);
  abort.abort();
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
  const rest = await fetch(url, { headers: { ...listening, 'last-event-id': value!.id! } });
  endpoint.release('w');
  expect(await messagesOf(rest)).toMatchObject([{ id: 1 }]);
  endpoint.release('v');
  expect(await responseOf(await waiting)).toHaveProperty('result');
  await drained;
});
