import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { FakeClock, turn } from '../../../test/fake-clock.js';
import { HostError } from '../../base/errors.js';
import { MASK } from '../../base/secret.js';
import { systemClock } from '../../edge/clock.js';
import { openRawServer, openServer } from '../http/http-fixtures.js';
import { openStreamWith, openSseClient, openSseServer, posts, startStream, untilClosed } from './sse-fixtures.js';
import { openSsePipe, type SsePipeOptions } from './sse-pipe.js';

/** The error that opening fails with. */
async function failureOf(url: string, options: Partial<SsePipeOptions> = {}): Promise<HostError> {
  try {
    const pipe = await openSsePipe({ name: 'x', url, clock: systemClock, ...options });
    await pipe[Symbol.asyncDispose]();
  } catch (error) {
    if (error instanceof HostError) return error;
    throw error;
  }
  throw new Error('it was opened');
}

const NOT_SSE = 'Check the path of its URL (often /sse), or set its type to http';

test.each<[what: string, open: (response: ServerResponse) => void, expected: object]>([
  [
    'a page for browsers',
    (response) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<p>Welcome'),
    {
      code: 'http-failed',
      message: 'Server "x" answered with text/html: that is not an event stream',
      hint: NOT_SSE,
      detail: { kind: 'http', status: 200 },
    },
  ],
  [
    'no type',
    (response) => response.writeHead(200).end('hello'),
    { message: 'Server "x" answered without a Content-Type: that is not an event stream' },
  ],
  [
    'a type that plays tricks',
    (response) => response.writeHead(200, { 'content-type': `a\u009b31m${'b'.repeat(1_000)}` }).end(),
    {
      message: expect.stringMatching(
        /^Server "x" answered with [\x20-\x7e…]{1,120}: that is not an event stream$/u,
      ) as string,
    },
  ],
  [
    'an empty success',
    (response) => response.writeHead(204).end(),
    { message: 'Server "x" answered HTTP 204 where an event stream was expected', hint: NOT_SSE },
  ],
  [
    '401',
    (response) => response.writeHead(401, { 'www-authenticate': 'Bearer realm="x"' }).end(),
    {
      code: 'unauthorized',
      message: 'Server "x" answered HTTP 401',
      hint: 'Check the token in the headers of its entry',
      detail: { kind: 'http', status: 401, challenge: 'Bearer realm="x"' },
    },
  ],
  ['403', (response) => response.writeHead(403).end(), { code: 'unauthorized' }],
  [
    '404',
    (response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<p>not here'),
    {
      code: 'http-failed',
      message: 'Server "x" answered HTTP 404',
      hint: NOT_SSE,
      detail: { kind: 'http', status: 404 },
    },
  ],
  ['400', (response) => response.writeHead(400).end(), { message: 'Server "x" answered HTTP 400', hint: NOT_SSE }],
  ['405', (response) => response.writeHead(405).end(), { message: 'Server "x" answered HTTP 405', hint: NOT_SSE }],
  [
    '500',
    (response) => response.writeHead(500, { 'content-type': 'text/plain' }).end('the key secret-token is wrong'),
    { code: 'http-failed', message: `Server "x" answered HTTP 500: the key ${MASK} is wrong` },
  ],
  [
    'an endless 500',
    (response) => {
      const write = (): void => {
        while (response.write('x'.repeat(10_000)));
        response.once('drain', write);
      };
      response.writeHead(500, { 'content-type': 'text/html' });
      write();
    },
    { message: 'Server "x" answered HTTP 500' },
  ],
  [
    'a stream that ends at once',
    (response) => startStream(response).end(),
    { code: 'http-failed', message: 'Server "x" ended its event stream before it said where to send messages' },
  ],
  [
    'a stream that ends within the event',
    (response) => startStream(response).end('event: endpoint\ndata: /m\n'),
    { message: 'Server "x" ended its event stream before it said where to send messages' },
  ],
  [
    'a stream that breaks off',
    (response) => startStream(response).write('event: endp', () => response.socket!.destroy()),
    { code: 'http-failed', message: expect.stringMatching(/in the middle of its answer/u) as string },
  ],
  ['nothing at all', (response) => void response.socket!.destroy(), { code: 'http-failed' }],
  [
    'comments without end',
    (response) => startStream(response).write(': still here\n\n'.repeat(10_000)),
    { code: 'http-failed', message: 'Server "x" sent 65536 bytes and no endpoint event', hint: NOT_SSE },
  ],
  [
    'a redirect elsewhere',
    (response) => response.writeHead(302, { location: 'https://elsewhere.test/sse' }).end(),
    { code: 'http-failed', message: expect.stringMatching(/redirects \(HTTP 302\) to another origin/u) as string },
  ],
])('%s where a stream was expected is told at once, and leaves nothing open', async (_what, handshake, expected) => {
  const server = await openSseServer({ openStream: (_visit, response) => handshake(response) });
  const headers = { Authorization: 'Bearer secret-token' };
  expect(await failureOf(server.url, { headers })).toMatchObject(expected);
  await Promise.all(server.visits.map(untilClosed));
  expect(posts(server)).toEqual([]);
});

test.each<[what: string, endpoint: (origin: string) => string, text: RegExp]>([
  ['with another scheme', (origin) => origin.replace('http:', 'https:'), /to another origin, https:/u],
  ['on another port', () => 'http://127.0.0.1:81/', /another origin, http:\/\/127\.0\.0\.1:81,/u],
  ['without a scheme, on another host', () => '//elsewhere.test/m', /elsewhere\.test/u],
  ['with a name and a password', (origin) => origin.replace('//', '//user:pass@'), /user name or password/u],
  ['that is the cloud’s own', () => 'http://169.254.169.254/latest', /that Plugboard refuses/u],
  ['that is a script', () => 'javascript:alert(1)', /begins with javascript:/u],
  ['that is a file', () => 'file:///etc/passwd', /begins with file:/u],
  ['that is data', () => 'data:,x', /begins with data:/u],
  ['that is a socket', (origin) => origin.replace('http:', 'ws:'), /begins with ws:/u],
  ['that is empty', () => '', /its endpoint event is empty/u],
  ['with a line break in it', () => '/m\ndata: Host: x', /control or invisible characters/u],
  ['that is no URL', () => 'http://[::1', /that Plugboard refuses/u],
  ['of 8 KB', () => `/${'x'.repeat(8_191)}`, /longer than 8192 characters/u],
])('an endpoint %s is refused, and nothing is sent there', async (_what, endpoint, text) => {
  const server = await openSseServer({ endpoint });
  const error = await failureOf(server.url, { headers: { Authorization: 'Bearer secret-token' } });
  expect([error.code, error.message]).toEqual(['url-refused', expect.stringMatching(text)]);
  expect(error.message).toMatch(/^Server "x" wants messages to be sent /u);
  await Promise.all(server.visits.map(untilClosed));
  expect(posts(server)).toEqual([]);
});

test('an endpoint on another origin gets no request, and no token', async () => {
  const elsewhere = await openSseServer();
  const server = await openSseServer({ endpoint: () => `${elsewhere.origin}/message` });
  const error = await failureOf(server.url, { headers: { Authorization: 'Bearer secret-token' } });
  expect(error.message).toBe(
    `Server "x" wants messages to be sent to another origin, ${elsewhere.origin}, where Plugboard sends nothing`,
  );
  expect([posts(server), elsewhere.visits]).toEqual([[], []]);
});

test('an endpoint of 1 MB is given up long before it is read', async () => {
  const server = await openSseServer({ endpoint: () => `/${'x'.repeat(1_000_000)}` });
  const error = await failureOf(server.url);
  expect(error.message).toBe('Server "x" sent an event of more than 8192 bytes where its endpoint was expected');
  await untilClosed(server.visits[0]!);
});

test('a stream whose response headers never come is not waited for any longer than was said', async () => {
  const server = await openSseServer({ openStream: () => {} });
  await checkLate(server, 'Server "x" sent no response headers within 60000 ms');
});

test('a stream that never says where to send messages is not, either', async () => {
  const server = await openSseServer({
    openStream: (_visit, response) => void startStream(response).write(': hi\n\n'),
  });
  await checkLate(server, 'Server "x" did not say where to send messages within 60000 ms');
});

async function checkLate(server: Awaited<ReturnType<typeof openSseServer>>, message: string): Promise<void> {
  const clock = new FakeClock();
  const failure = failureOf(server.url, { clock });
  const visit = await server.until(({ method }) => method === 'GET');
  // Long enough for the bytes it did send to arrive.
  for (let count = 0; count < 20; count++) await new Promise((resolve) => setTimeout(resolve, 1));
  await clock.pass(60_000);
  expect(await failure).toMatchObject({ code: 'connect-timeout', message, hint: NOT_SSE });
  await untilClosed(visit);
  expect(clock.timers).toBe(0);
}

test('whoever gives up while it opens is not kept, and nothing is left', async () => {
  const server = await openSseServer({ openStream: (_visit, response) => void startStream(response) });
  const controller = new AbortController();
  const failure = failureOf(server.url, { signal: controller.signal });
  const visit = await server.until(({ method }) => method === 'GET');
  controller.abort();
  const expected = { code: 'cancelled', message: 'Connecting to server "x" was cancelled' };
  expect(await failure).toMatchObject(expected);
  await untilClosed(visit);
  expect(await failureOf(server.url, { signal: controller.signal })).toMatchObject(expected);
  expect(server.visits).toHaveLength(1);
});

test('giving up after it was opened is too late', async () => {
  const server = await openSseServer();
  const controller = new AbortController();
  const client = await openSseClient(server.url, { signal: controller.signal });
  controller.abort();
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
});

test('a stream may have moved within its origin', async () => {
  const server = await openSseServer({
    openStream(visit, response, opened) {
      if (visit.path === '/sse') response.writeHead(307, { location: '/v2/sse' }).end();
      else openStreamWith(() => '/m')(visit, response, opened);
    },
  });
  const client = await openSseClient(server.url, { headers: { Authorization: 'Bearer token' } });
  expect(await client.call()).toEqual({ echo: {} });
  expect(server.visits.map(({ path, headers }) => [path, headers.authorization])).toEqual(
    ['/sse', '/v2/sse', '/m'].map((path) => [path, 'Bearer token']),
  );
});

test.each<[what: string, text: string, expected: object]>([
  [
    'speaks something else',
    'SSH-2.0-OpenSSH_9.6\r\n',
    { message: expect.stringMatching(/does not speak HTTP/u) as string },
  ],
  [
    'says nothing and hangs up',
    '',
    { message: expect.stringMatching(/closed the connection without an answer/u) as string },
  ],
])('a server that %s is told by name', async (_what, text, expected) => {
  expect(await failureOf(await openRawServer(() => text))).toMatchObject({ code: 'http-failed', ...expected });
});

test('a server that is not there is told by name', async () => {
  const { url } = await openServer(() => {});
  const gone = url.replace(/:\d+/u, ':1');
  expect(await failureOf(gone)).toMatchObject({
    code: 'connect-failed',
    message: 'Server "x" refused the connection at http://127.0.0.1:1',
  });
});

test.each(['', 'h.test/sse', 'file:///etc/passwd'])('%j is no place for a server', async (url) => {
  expect(await failureOf(url)).toMatchObject({ code: 'config-invalid' });
});

test('a stream that is lost before anybody listens ends the pipe', async () => {
  const server = await openSseServer();
  const pipe = await openSsePipe({ name: 'x', url: server.url, clock: systemClock });
  server.streams[0]!.socket!.destroy();
  await turn();
  const failed: string[] = [];
  pipe.open({
    message: () => false,
    refused() {},
    failed: (_id, error) => void failed.push(error.code),
    warning() {},
    isPending: () => false,
    spillFor: () => undefined,
  });
  expect(await pipe.closed).toMatchObject({ kind: 'lost' });
  pipe.request({ jsonrpc: '2.0', id: 1, method: 'ping' }, { timeoutMs: 1_000 });
  expect(failed).toEqual(['connection-closed']);
  await pipe[Symbol.asyncDispose]();
});
