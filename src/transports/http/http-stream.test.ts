import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { FakeClock, turn } from '../../../test/fake-clock.js';
import { behaveOverHttp, openClient, openServer, startEvents, type TestServer, toSseEvent } from './http-fixtures.js';

const note = (name: string): object => ({ jsonrpc: '2.0', method: `notifications/${name}` });

/** A well-behaved server whose GET stream is answered by `serve`. */
function openTalkative(serve: (response: ServerResponse, count: number) => void): Promise<TestServer> {
  let count = 0;
  return openServer((visit, response) => {
    if (visit.method === 'GET') serve(response, count++);
    else behaveOverHttp(visit, response);
  });
}

function gets(server: TestServer): (string | string[] | undefined)[] {
  return server.visits.filter(({ method }) => method === 'GET').map(({ headers }) => headers['last-event-id']);
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await turn();
}

test('what a server says unasked arrives, and the connection works beside it', async () => {
  const server = await openTalkative(
    (response) => void startEvents(response, toSseEvent(note('a')), toSseEvent(note('b'))),
  );
  const client = openClient(server.url);
  await client.shakeHands();
  client.pipe.listen();
  await until(() => client.notifications.length === 2);
  expect(client.notifications).toEqual(['notifications/a', 'notifications/b']);
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
  expect(server.visits.find(({ method }) => method === 'GET')!.headers).toMatchObject({
    accept: 'text/event-stream',
    'mcp-session-id': 'session-1',
    'mcp-protocol-version': '2025-06-18',
  });
});

test('a server without a stream is fine, and is not asked again', async () => {
  const server = await openTalkative((response) => response.writeHead(405).end());
  const clock = new FakeClock();
  const client = openClient(server.url, { clock });
  await client.shakeHands();
  client.pipe.listen();
  await server.until(({ method }) => method === 'GET');
  await client.call();
  await clock.pass(100_000);
  expect([client.notes, gets(server).length]).toEqual([[], 1]);
});

test.each<[what: string, serve: (response: ServerResponse) => void, text: RegExp]>([
  ['401', (response) => response.writeHead(401).end(), /HTTP 401/u],
  ['404', (response) => response.writeHead(404).end(), /HTTP 404/u],
  [
    'a page',
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    /of type "text\/html"/u,
  ],
])('a stream that is answered with %s is off, which is told once and harms nothing', async (_what, serve, text) => {
  const server = await openTalkative(serve);
  const clock = new FakeClock();
  const client = openClient(server.url, { clock });
  await client.shakeHands();
  client.pipe.listen();
  await until(() => client.notes.length > 0);
  await clock.pass(100_000);
  expect(await client.call()).toEqual({ echo: {} });
  expect([client.notes, gets(server).length]).toEqual([[expect.stringMatching(text)], 1]);
  expect(client.notes[0]).toMatch(/^stream-off: /u);
});

test('a stream that never begins holds nothing up', async () => {
  const server = await openTalkative(() => {});
  const client = openClient(server.url);
  await client.shakeHands();
  client.pipe.listen();
  await server.until(({ method }) => method === 'GET');
  expect(await client.call()).toEqual({ echo: {} });
  await client.peer[Symbol.asyncDispose]();
  expect(client.notes).toEqual([]);
});

test('a stream that ends is opened again where it was', async () => {
  const server = await openTalkative((response, count) => {
    startEvents(response, toSseEvent(note(`${count}`), `id-${count}`)).end();
  });
  const clock = new FakeClock();
  const client = openClient(server.url, { clock });
  client.pipe.listen();
  for (let count = 1; count <= 3; count++) {
    await until(() => client.notifications.length === count && clock.timers === 1);
    await clock.pass(1_000);
  }
  await until(() => client.notifications.length === 4);
  expect(gets(server)).toEqual([undefined, 'id-0', 'id-1', 'id-2']);
});

test.each<[what: string, serve: (response: ServerResponse) => void]>([
  ['ends at once', (response) => void startEvents(response).end()],
  ['is down', (response) => response.writeHead(503).end()],
  ['hangs up', (response) => void response.socket!.destroy()],
])(
  'a stream that %s is tried five more times, 1 s, 2 s, 4 s, 8 s and 16 s apart or a quarter less, and then off',
  async (_what, serve) => {
    const server = await openTalkative(serve);
    const clock = new FakeClock();
    const client = openClient(server.url, { clock });
    client.pipe.listen();
    for (const [index, seconds] of [1, 2, 4, 8, 16].entries()) {
      await until(() => clock.timers === 1);
      await clock.pass(seconds * 750 - 1);
      expect(gets(server)).toHaveLength(index + 1);
      await clock.pass(seconds * 250 + 1);
      await server.until(({ method }) => method === 'GET', index + 2);
    }
    await until(() => client.notes.length > 0);
    expect([client.notes.length, clock.timers, gets(server).length]).toEqual([1, 0, 6]);
  },
);

test('a server that says when to come back is asked then, and never given up', async () => {
  const server = await openTalkative((response) => void startEvents(response, 'retry: 500\nid: 7\ndata:').end());
  const clock = new FakeClock();
  const client = openClient(server.url, { clock });
  client.pipe.listen();
  await until(() => clock.timers === 1);
  await clock.pass(499);
  expect(gets(server)).toEqual([undefined]);
  await clock.pass(1);
  await server.until(({ method }) => method === 'GET', 2);
  for (let count = 2; count < 12; count++) {
    await until(() => clock.timers === 1);
    await clock.pass(30_000);
    await server.until(({ method }) => method === 'GET', count + 1);
  }
  expect([client.notes, gets(server).at(-1)]).toEqual([[], '7']);
});

test('a new handshake ends the stream of the old session, and listening opens a new one', async () => {
  const server = await openTalkative((response) => void startEvents(response));
  const client = openClient(server.url);
  await client.shakeHands();
  client.pipe.listen();
  const { socket } = await server.until(({ method }) => method === 'GET');
  await client.shakeHands();
  if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
  client.pipe.listen();
  await server.until(({ method }) => method === 'GET', 2);
  expect(gets(server)).toEqual([undefined, undefined]);
});

test('in the era without sessions there is no stream', async () => {
  const server = await openTalkative((response) => void startEvents(response));
  const client = openClient(server.url);
  client.pipe.adopt({ era: 'modern', version: '2026-07-28' });
  client.pipe.listen();
  await client.call();
  expect(gets(server)).toEqual([]);
});

test.each([
  ['no JSON', 'data: {"jsonrpc":"2.0","result":'],
  ['20 MB', `data: {"jsonrpc":"2.0","method":"x","params":{"text":"${'x'.repeat(20_000_000)}"}}`],
])('a message of %s on the stream is no answer to the call that happens to wait', async (_what, event) => {
  const waiting: (() => void)[] = [];
  const server = await openServer((visit, response) => {
    if (visit.method === 'GET') {
      startEvents(response, event, toSseEvent(note('behind'))).end();
      response.on('close', () => waiting.pop()?.());
    } else if (visit.message['method'] !== 'tools/call') behaveOverHttp(visit, response);
    else waiting.push(() => behaveOverHttp(visit, response));
  });
  const client = openClient(server.url);
  await client.shakeHands();
  const answer = client.call({ a: 1 });
  await server.until(({ message }) => message['method'] === 'tools/call');
  client.pipe.listen();
  expect(await answer).toEqual({ echo: { a: 1 } });
  await expect.poll(() => client.peer.stats.malformed).toBe(1);
});
