import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { exchange } from './http-exchange.js';
import { directRoute } from './route.js';

test('a signal that outlives a request keeps nothing of it, whether it was answered or given up', async () => {
  const server = createServer((_, response) => void response.end('x'.repeat(20)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const { signal } = new AbortController();
  const options = { label: 'The page', route: directRoute('The page'), headers: {}, signal };

  expect((await exchange(url, { ...options, limit: 20 })).body).toHaveLength(20);
  await expect(exchange(url, { ...options, limit: 19 })).rejects.toMatchObject({ code: 'answer-too-large' });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
