import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { HttpClient, type HttpRequest } from './http-client.js';
import { StreamHold } from './stream-hold.js';

/** A hold for a server that took so long for its last response, and has just been asked for its stream. */
async function begin(
  tookMs: number,
): Promise<{ readonly hold: StreamHold; readonly clock: FakeClock; readonly sent: string[] }> {
  const clock = new FakeClock();
  const hold = new StreamHold(clock);
  const since = hold.now;
  await clock.pass(tookMs);
  hold.answered(since);
  hold.begin();
  return { hold, clock, sent: [] };
}

test('requests wait for the answer of a near server, and then go in order', async () => {
  const { hold, sent } = await begin(10);
  hold.add(() => sent.push('a'));
  hold.add(() => sent.push('b'));
  expect(sent).toEqual([]);
  hold.end();
  hold.end();
  await Promise.resolve();
  expect(sent).toEqual(['a', 'b']);
  expect(hold.isActive).toBe(false);
  hold.add(() => sent.push('c'));
  expect(sent).toEqual(['a', 'b', 'c']);
});

test.each([
  [2, 6],
  [10, 30],
  [50, 100],
])('a server that took %d ms and says nothing of a stream is waited for %d ms', async (tookMs, waits) => {
  const { hold, clock, sent } = await begin(tookMs);
  hold.add(() => sent.push('a'));
  await clock.pass(waits - 1);
  expect(sent).toEqual([]);
  await clock.pass(1);
  expect(sent).toEqual(['a']);
});

test('nothing waits for a server that is far away, or that is asked a second time', async () => {
  expect((await begin(51)).hold.isActive).toBe(false);
  const { hold } = await begin(10);
  hold.end();
  hold.begin();
  expect(hold.isActive).toBe(false);
});

test('nothing waits for a server that has answered nothing yet', () => {
  const hold = new StreamHold(new FakeClock());
  hold.begin();
  expect(hold.isActive).toBe(false);
});

const POST: HttpRequest = { method: 'POST', path: '/', headers: [], body: Buffer.from('{}'), headersTimeoutMs: 0 };
const STREAM: HttpRequest = { ...POST, method: 'GET', body: null, isLasting: true };

/** Asks a server one thing, then for its stream and another thing. Returns how many connections that took. */
async function connectionsTo(answerStream: (response: ServerResponse) => void): Promise<number> {
  let connections = 0;
  const server = createServer((request, response) => {
    if (request.method === 'GET') answerStream(response);
    else request.resume().once('end', () => response.end('{}'));
  });
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new HttpClient({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, label: 'x' });
  const send = (request: HttpRequest): Promise<unknown> =>
    new Promise((resolve, reject) => {
      client.send(request, { headers() {}, data: () => true, end: () => resolve(undefined), failed: reject });
    });
  await send(POST);
  send(STREAM).catch(() => {});
  await send(POST);
  await client.close();
  server.closeAllConnections();
  server.close();
  return connections;
}

function refuse(response: ServerResponse): void {
  response.writeHead(405).end('no stream here');
}

test('a server without a stream is spoken to on one connection', async () => {
  // A machine that stands still for a moment makes the answer come too late.
  await expect.poll(() => connectionsTo(refuse)).toBe(1);
});

test.each<[what: string, answer: (response: ServerResponse) => void]>([
  ['opens its stream', (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()],
  ['keeps back its answer', () => {}],
  ['breaks off', (response) => response.destroy()],
])('a server that %s is asked other things all the same', async (_, answer) => {
  expect(await connectionsTo(answer)).toBe(2);
});

test('a client that is closed while a request is held back leaves nothing open', async () => {
  const server = createServer((request, response) => {
    if (request.method === 'POST') request.resume().once('end', () => response.end('{}'));
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new HttpClient({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, label: 'x' });
  await new Promise<void>((resolve, reject) => {
    client.send(POST, { headers() {}, data: () => true, end: resolve, failed: reject });
  });
  const told: string[] = [];
  const handler = {
    headers: () => told.push('headers'),
    data: () => true,
    end: () => told.push('end'),
    failed: () => told.push('failed'),
  };
  client.send(STREAM, handler);
  client.send(POST, handler);
  await new Promise((resolve) => setImmediate(resolve));
  await client.close();
  await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(0);
  expect(told).toEqual([]);
});
