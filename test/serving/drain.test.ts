import { expect, test } from 'vitest';
import { envelope, initialize, modern, post, responseOf, serve } from './http-fixture.js';

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
