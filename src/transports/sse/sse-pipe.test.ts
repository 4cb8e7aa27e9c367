import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { turn } from '../../../test/fake-clock.js';
import { rejectionCodeOf, httpResult, toSseEvent, type ReceivedRequest } from '../http/http-fixtures.js';
import {
  echo,
  echoOf,
  openStreamWith,
  isCall,
  isRequestPost,
  openSseClient,
  openSseServer,
  posts,
  startStream,
  untilClosed,
} from './sse-fixtures.js';

test('messages go where the server says, and what it answers comes on the stream', async () => {
  const server = await openSseServer();
  const client = await openSseClient(server.url);
  await client.shakeHands();
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
  expect(server.visits.map(({ method, path, message }) => [method, path, message['method']])).toEqual([
    ['GET', '/sse', undefined],
    ['POST', '/message?sessionId=7', 'initialize'],
    ['POST', '/message?sessionId=7', 'notifications/initialized'],
    ['POST', '/message?sessionId=7', 'tools/call'],
  ]);
  expect(server.visits[0]!.headers.accept).toBe('text/event-stream');
  for (const { headers } of posts(server)) expect(headers['content-type']).toBe('application/json');
});

test.each<[what: string, endpoint: (origin: string) => string, path: string]>([
  ['a path', () => '/message?sessionId=abc', '/message?sessionId=abc'],
  ['a name beside the stream', () => 'message?sessionId=abc', '/message?sessionId=abc'],
  ['a whole URL', (origin) => `${origin}/deep/er?x=1&y=2`, '/deep/er?x=1&y=2'],
  ['just a query', () => '?sessionId=abc', '/sse?sessionId=abc'],
  ['a fragment, which is nobody’s', () => '/message#part', '/message'],
  ['letters beyond ASCII', () => '/größe', '/gr%C3%B6%C3%9Fe'],
  ['a blank behind it', () => '/message ', '/message'],
])('an endpoint may be %s', async (_what, endpoint, path) => {
  const server = await openSseServer({ endpoint });
  expect(await (await openSseClient(server.url)).call({ a: 1 })).toEqual({ echo: { a: 1 } });
  expect(posts(server).map((visit) => visit.path)).toEqual([path]);
});

test.each<[what: string, start: string]>([
  ['in CR LF', 'event: endpoint\r\ndata: /m\r\n\r\n'],
  ['in CR alone', 'event: endpoint\rdata: /m\r\r'],
  ['name last', 'data: /m\nevent: endpoint\n\n'],
  ['behind a byte order mark', '\uFEFFevent: endpoint\ndata: /m\n\n'],
  ['behind 4 KB of comments', `:${' '.repeat(4_096)}\n: hello\nretry: 3000\n\nevent: endpoint\ndata: /m\n\n`],
  ['behind other events', 'event: open\ndata: {}\n\ndata: hello\n\nevent: endpoint\nid: 1\ndata:/m\n\n'],
])('the endpoint may come %s, in one piece or in bytes, with a message right behind it', async (_what, start) => {
  const behind = `${toSseEvent({ jsonrpc: '2.0', method: 'notifications/early' })}\n\n`;
  for (const isWhole of [true, false]) {
    const server = await openSseServer({
      openStream(_visit, response) {
        startStream(response);
        if (isWhole) response.write(start + behind);
        else void dribble(response, start + behind);
      },
    });
    const client = await openSseClient(server.url);
    expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
    while (client.notifications.length === 0) await turn();
    expect([client.notifications, posts(server)[0]!.path]).toEqual([['notifications/early'], '/m']);
  }
});

async function dribble(response: ServerResponse, text: string): Promise<void> {
  for (const byte of Buffer.from(text)) await new Promise((resolve) => response.write(Buffer.from([byte]), resolve));
}

test('messages one after the other share a connection beside the stream', async () => {
  const server = await openSseServer();
  const client = await openSseClient(server.url);
  for (let count = 0; count < 5; count++) await client.peer.notify('notifications/x');
  expect(new Set(server.visits.map(({ socket }) => socket)).size).toBe(2);
});

test('fifty calls at once get their own answers, in whatever order those come', async () => {
  const waiting: ReceivedRequest[] = [];
  const server = await openSseServer({
    take(visit, response, { say }) {
      response.writeHead(202).end();
      if (waiting.push(visit) === 50) for (const one of waiting.toReversed()) say(toSseEvent(echoOf(one)));
    },
  });
  const client = await openSseClient(server.url);
  const numbers = Array.from({ length: 50 }, (_, index) => index);
  expect(await Promise.all(numbers.map((n) => client.call({ n })))).toEqual(numbers.map((n) => ({ echo: { n } })));
});

test.each([
  ['2024-11-05', undefined],
  ['2025-03-26', undefined],
  ['2025-06-18', '2025-06-18'],
  ['2025-11-25', '2025-11-25'],
])('a server that agreed on %s is told %s with each message', async (version, told) => {
  const server = await openSseServer();
  const client = await openSseClient(server.url);
  await client.peer.request('initialize', {});
  client.pipe.adopt({ era: 'legacy', version });
  await client.call();
  await client.peer.request('initialize', {});
  const seen = server.visits.map(({ headers }) => headers['mcp-protocol-version']);
  expect(seen).toEqual([undefined, undefined, told, undefined]);
});

test('what the entry says in headers goes with everything, and none that only a newer server knows', async () => {
  const server = await openSseServer();
  const headers = { Authorization: 'Bearer secret-token', Accept: 'text/html', 'Last-Event-ID': '7' };
  const client = await openSseClient(server.url, { headers });
  await client.call({}, { headers: ['mcp-param-region', 'eu'] });
  await client.call();
  const seen = server.visits.map(({ headers: sent }) => [sent.authorization, sent['mcp-param-region']]);
  expect(seen).toEqual([
    ['Bearer secret-token', undefined],
    ['Bearer secret-token', undefined],
    ['Bearer secret-token', undefined],
  ]);
  expect(server.visits[0]!.headers).toMatchObject({ accept: 'text/event-stream' });
  expect('last-event-id' in server.visits[0]!.headers).toBe(false);
});

test('a second endpoint is told once, and not obeyed', async () => {
  const elsewhere = await openSseServer();
  const server = await openSseServer();
  const client = await openSseClient(server.url);
  server.say(...Array.from({ length: 5 }, () => `event: endpoint\ndata: ${elsewhere.url}`), 'event: x\ndata: 1');
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
  expect(client.notes).toEqual(['oddity: a second endpoint event, which Plugboard ignores']);
  expect([posts(server)[0]!.path, elsewhere.visits]).toEqual(['/message?sessionId=7', []]);
});

test('what the server asks is answered at its endpoint', async () => {
  const server = await openSseServer();
  await openSseClient(server.url);
  server.say(toSseEvent({ jsonrpc: '2.0', id: 'p', method: 'ping' }));
  const { message } = await server.until(({ method }) => method === 'POST');
  expect(message).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
});

test('the first answer counts, and one to somebody else’s request is nobody’s', async () => {
  const server = await openSseServer({
    take(visit, response, { say }) {
      response.writeHead(202).end();
      const wrong = { ...httpResult(visit), id: (visit.message['id'] as number) + 1 };
      say(toSseEvent(wrong), toSseEvent(echoOf(visit)), toSseEvent(httpResult(visit, { second: true })));
    },
  });
  const client = await openSseClient(server.url);
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
  expect(await client.call({ a: 2 })).toEqual({ echo: { a: 2 } });
  expect(client.peer.stats.dropped).toBe(4);
});

test('a call that nobody waits for any more lets go of its connection, and the server is told', async () => {
  const server = await openSseServer({
    take(visit, response) {
      if (!isCall(visit)) response.writeHead(202).end();
    },
  });
  const client = await openSseClient(server.url);
  const controller = new AbortController();
  const call = rejectionCodeOf(client.call({}, { signal: controller.signal }));
  const visit = await server.until(isCall);
  controller.abort();
  expect(await call).toBe('cancelled');
  await untilClosed(visit);
  const cancelled = await server.until(({ message }) => message['method'] === 'notifications/cancelled');
  expect(cancelled.message['params']).toMatchObject({ requestId: visit.message['id'] });
});

test('a server that takes nothing is sent no more than 16 MB', async () => {
  const server = await openSseServer();
  const stalled = await openSseClient(server.url);
  await stalled.peer.notify('notifications/x');
  posts(server)[0]!.socket.pause();
  const text = 'x'.repeat(9_000_000);
  const calls = [rejectionCodeOf(stalled.call({ text })), rejectionCodeOf(stalled.call({ text }))];
  expect(stalled.pipe.backlog).toBeGreaterThan(16_000_000);
  await expect(stalled.call()).rejects.toMatchObject({ code: 'overloaded' });
  await expect(stalled.peer.notify('x')).rejects.toMatchObject({ code: 'overloaded' });
  await stalled.peer[Symbol.asyncDispose]();
  expect(await Promise.all(calls)).toEqual(['connection-closed', 'connection-closed']);
});

test('arguments that are no JSON fail their call alone', async () => {
  const server = await openSseServer();
  const client = await openSseClient(server.url);
  await expect(client.call({ big: 1n })).rejects.toMatchObject({ code: 'usage' });
  expect(await client.call()).toEqual({ echo: {} });
});

test('closing ends everything at once, for good, and leaves no connection', async () => {
  const server = await openSseServer({
    take(visit, response, opened) {
      if (!isRequestPost(visit)) return;
      if (visit.message['method'] === 'ping') echo(visit, response, opened);
    },
  });
  const client = await openSseClient(server.url);
  const call = rejectionCodeOf(client.call());
  const note = rejectionCodeOf(client.peer.notify('notifications/x'));
  await server.until(isCall);
  await server.until(({ message }) => message['method'] === 'notifications/x');
  const disposal = client.pipe[Symbol.asyncDispose]();
  expect(client.pipe[Symbol.asyncDispose]()).toBe(disposal);
  await disposal;
  expect(await client.pipe.closed).toEqual({ kind: 'disposed' });
  const late = client.pipe.notify({ jsonrpc: '2.0', method: 'x' });
  expect([await call, await note, await rejectionCodeOf(late)]).toEqual(
    Array.from({ length: 3 }, () => 'connection-closed'),
  );
  expect(client.pipe.abandon(1, { isTimedOut: false, others: 0 })).toBe(false);
  await Promise.all(server.visits.map(untilClosed));
});

test('closing before anything was sent is fine', async () => {
  const server = await openSseServer({ openStream: openStreamWith(() => '/m') });
  const client = await openSseClient(server.url);
  await client.peer[Symbol.asyncDispose]();
  await untilClosed(server.visits[0]!);
  expect(posts(server)).toEqual([]);
});

test('what is cancelled just before the end is still told, while the server knows whose it is', async () => {
  const told: unknown[] = [];
  const server = await openSseServer({
    take({ message }, response, { streams }) {
      const isKnown = streams.at(-1)?.destroyed === false;
      told.push(message['method'], isKnown);
      response.writeHead(isKnown ? 202 : 404).end();
    },
  });
  const client = await openSseClient(server.url);
  const abort = new AbortController();
  const call = client.call({}, { signal: abort.signal }).catch((error: unknown) => error);
  await server.until(({ message }) => message['method'] === 'tools/call');
  abort.abort();
  await client.peer[Symbol.asyncDispose]();
  expect(await call).toMatchObject({ code: 'cancelled' });
  expect(told).toEqual(['tools/call', true, 'notifications/cancelled', true]);
});
