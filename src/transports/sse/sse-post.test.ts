import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { FakeClock, turn } from '../../../test/fake-clock.js';
import { sendJson, toSseEvent, type ReceivedRequest } from '../http/http-fixtures.js';
import {
  echo,
  echoOf,
  isCall,
  openSseClient,
  openSseServer,
  posts,
  type SseServer,
  untilClosed,
} from './sse-fixtures.js';

test.each<[what: string, take: (visit: ReceivedRequest, response: ServerResponse, server: SseServer) => void]>([
  [
    'before the message was acknowledged',
    (visit, response, server) => {
      server.say(toSseEvent(echoOf(visit)));
      setTimeout(() => response.writeHead(202).end(), 10);
    },
  ],
  ['with the acknowledgement, in its body', (visit, response) => sendJson(response, echoOf(visit))],
  [
    'in both places',
    (visit, response, server) => {
      server.say(toSseEvent(echoOf(visit)));
      sendJson(response, echoOf(visit));
    },
  ],
  ['over several lines', (visit, response, server) => acknowledge(response, () => server.say(pretty(visit)))],
  [
    'in lines that end with CR alone',
    (visit, response, server) => acknowledge(response, () => server.say(`data: ${JSON.stringify(echoOf(visit))}\r\r`)),
  ],
  ['behind 200', (visit, response, server) => acknowledge(response, () => server.say(toSseEvent(echoOf(visit))), 200)],
  ['behind 204', (visit, response, server) => acknowledge(response, () => server.say(toSseEvent(echoOf(visit))), 204)],
])('an answer may come %s', async (_what, take) => {
  const server = await openSseServer({ take });
  const client = await openSseClient(server.url);
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
  expect(await client.call({ a: 'ü' })).toEqual({ echo: { a: 'ü' } });
});

function acknowledge(response: ServerResponse, then: () => void, status = 202): void {
  response.writeHead(status).end();
  then();
}

function pretty(visit: ReceivedRequest): string {
  const lines = JSON.stringify(echoOf(visit), undefined, 2).split('\n');
  return ['event: message', ...lines.map((line) => `data: ${line}`)].join('\n');
}

test.each([
  ['JSON of another sort', '{"ok":true}', 'application/json'],
  ['a JSON text', '"Accepted"', 'application/json'],
  ['a word that claims to be JSON', 'Accepted', 'application/json'],
  ['nothing, as JSON', 'null', 'application/json'],
  ['an answer to another request', '{"jsonrpc":"2.0","id":1,"result":{"not":"yours"}}', 'application/json'],
  ['a long text', 'x'.repeat(10_000), 'text/plain'],
  ['an event stream', 'data: {}\n\n', 'text/event-stream'],
])('%s beside an acknowledgement is no answer', async (_what, body, type) => {
  const server = await openSseServer({
    take(visit, response, { say }) {
      response.writeHead(200, { 'content-type': type }).end(body);
      response.once('close', () => say(toSseEvent(echoOf(visit))));
    },
  });
  expect(await (await openSseClient(server.url)).call({ a: 1 })).toEqual({ echo: { a: 1 } });
});

test.each<[what: string, body: string]>([
  ['broken off', '{"jsonrpc":"2.0","id":1,"result":{"a":'],
  ['nested too deep', `{"jsonrpc":"2.0","id":1,"result":{"a":${'['.repeat(1000)}${']'.repeat(1000)}}}`],
])('an answer in the body that is %s fails its request at once', async (_what, body) => {
  const server = await openSseServer({
    take: (_visit, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(body),
  });
  expect((await (await openSseClient(server.url)).failure()).code).toMatch(/^(?:bad-answer|answer-too-large)$/u);
});

test('an answer in the body that is cut off fails its request at once', async () => {
  const server = await openSseServer({
    take(_visit, response) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
      response.write('{"jsonrpc":"2.0",', () => response.socket!.destroy());
    },
  });
  const error = await (await openSseClient(server.url)).failure();
  expect([error.code, error.message]).toEqual(['http-failed', expect.stringMatching(/middle of its answer/u)]);
});

test.each<[status: number, headers: Record<string, string>, body: string, expected: object]>([
  [
    401,
    { 'www-authenticate': 'Bearer resource_metadata="https://h.test/m"' },
    'no token',
    {
      code: 'unauthorized',
      message: 'Server "x" answered HTTP 401: no token',
      detail: { kind: 'http', status: 401, challenge: 'Bearer resource_metadata="https://h.test/m"' },
    },
  ],
  [403, {}, '', { code: 'unauthorized', message: 'Server "x" answered HTTP 403' }],
  [
    404,
    {},
    'No such session',
    {
      code: 'http-failed',
      message: 'Server "x" answered HTTP 404: No such session; it no longer knows this connection',
      hint: 'Connect to the server again',
    },
  ],
  [405, {}, '', { message: 'Server "x" answered HTTP 405, at the endpoint that it named', code: 'http-failed' }],
  [
    500,
    {},
    'oh\u001B[31m dear',
    { code: 'http-failed', message: expect.stringMatching(/^[\x20-\x7e]*dear$/u) as string },
  ],
  [503, { 'retry-after': '7' }, '', { code: 'http-failed', detail: { kind: 'http', status: 503, retryAfterMs: 7000 } }],
])('HTTP %i fails the request it answers, and no other', async (status, headers, body, expected) => {
  const waiting: ReceivedRequest[] = [];
  const server = await openSseServer({
    take(visit, response) {
      waiting.push(visit);
      if (waiting.length === 1) response.writeHead(202).end();
      else response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);
    },
  });
  const client = await openSseClient(server.url);
  const other = client.call({ a: 1 });
  await server.until(isCall);
  expect(await client.failure()).toMatchObject(expected);
  await expect(client.peer.notify('notifications/x')).rejects.toMatchObject({
    code: (expected as { code: string }).code,
  });
  server.say(toSseEvent(echoOf(waiting[0]!)));
  expect(await other).toEqual({ echo: { a: 1 } });
});

test('a JSON-RPC error in the body of a bad response is the server’s own answer', async () => {
  const error = { code: -32602, message: 'no such tool' };
  const server = await openSseServer({
    take: (visit, response) => sendJson(response, { jsonrpc: '2.0', id: visit.message['id'], error }, 400),
  });
  expect(await (await openSseClient(server.url)).failure()).toMatchObject({
    code: 'server-error',
    message: expect.stringMatching(/no such tool/u) as string,
  });
});

test('a server that hangs up on a message fails that message alone', async () => {
  const server = await openSseServer({
    take(visit, response, opened) {
      if (posts(opened).length === 1) response.socket!.destroy();
      else echo(visit, response, opened);
    },
  });
  const client = await openSseClient(server.url);
  expect((await client.failure()).message).toMatch(/^Server "x" closed the connection without an answer/u);
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
});

test('messages follow a redirect within the origin, and never one elsewhere', async () => {
  const elsewhere = await openSseServer();
  const server = await openSseServer({
    take(visit, response, opened) {
      if (visit.path === '/there') echo(visit, response, opened);
      else response.writeHead(307, { location: posts(opened).length === 1 ? '/there' : elsewhere.url }).end();
    },
  });
  const client = await openSseClient(server.url);
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
  expect((await client.failure()).message).toMatch(/redirects \(HTTP 307\) to another origin/u);
  expect(elsewhere.visits).toEqual([]);
});

test.each<[what: string, take: (visit: ReceivedRequest, response: ServerResponse, server: SseServer) => void]>([
  ['never sends an acknowledgement', (visit, _response, { say }) => say(toSseEvent(echoOf(visit)))],
  [
    'never ends the acknowledgement',
    (visit, response, { say }) => {
      response.writeHead(202).write('Acc');
      say(toSseEvent(echoOf(visit)));
    },
  ],
])('a server that %s of what it has answered keeps no connection for it', async (_what, take) => {
  const server = await openSseServer({ take });
  const clock = new FakeClock();
  const client = await openSseClient(server.url, { clock });
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
  await turn();
  await clock.pass(2_000);
  await untilClosed(posts(server)[0]!);
  expect(await client.call({ a: 2 })).toEqual({ echo: { a: 2 } });
});

test('a server that never acknowledges a note rejects it in time', async () => {
  const server = await openSseServer({ take: () => {} });
  const client = await openSseClient(server.url, { headersTimeoutMs: 100 });
  const error = { code: 'call-timeout', message: 'Server "x" sent no response headers within 100 ms' };
  await expect(client.peer.notify('notifications/x')).rejects.toMatchObject(error);
});
