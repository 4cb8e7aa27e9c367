import type { ServerResponse } from 'node:http';
import { constants, createGzip } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.js';
import {
  behaveOverHttp,
  rejectionCodeOf,
  openClient,
  openRawServer,
  openServer,
  httpResult,
  startEvents,
  type TestServer,
  toSseEvent,
  type ReceivedRequest,
} from './http-fixtures.js';

type Serve = (visit: ReceivedRequest, response: ServerResponse) => void;

/** A server with a session whose calls are answered by `serve`. */
function openStateful(serve: Serve): Promise<TestServer> {
  return openServer((visit, response) =>
    visit.message['method'] === 'tools/call' ? serve(visit, response) : behaveOverHttp(visit, response),
  );
}

const rpcError = (message: string, code = -32_000, id: unknown = null): object => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});
const answerWith =
  (status: number, type: string, body: string, headers: Record<string, string> = {}): Serve =>
  (_visit, response) =>
    void response.writeHead(status, { ...(type !== '' && { 'content-type': type }), ...headers }).end(body);
const answerJson =
  (status: number, body: unknown, headers: Record<string, string> = {}): Serve =>
  (visit, response) =>
    answerWith(status, 'application/json', JSON.stringify(body), headers)(visit, response);

const PAGE = `<html>${'<p>secret page</p>'.repeat(100_000)}</html>`;

describe('what is no answer fails its call at once, and says why', () => {
  test.each<[what: string, serve: Serve, code: string, text: RegExp]>([
    ['202', answerWith(202, '', ''), 'http-failed', /sends no answer to it \(HTTP 202\)/u],
    ['204', answerWith(204, '', ''), 'http-failed', /HTTP 204/u],
    ['an empty body', answerWith(200, 'application/json', ''), 'http-failed', /answered with an empty body/u],
    ['an empty stream', answerWith(200, 'text/event-stream', ''), 'http-failed', /without an answer/u],
    ['no type', answerWith(200, '', '{}'), 'http-failed', /without a Content-Type: that is not an MCP endpoint/u],
    [
      'a page',
      answerWith(200, 'text/html; charset=utf-8', PAGE),
      'http-failed',
      /with text\/html: that is not an MCP endpoint/u,
    ],
    [
      'JSON that calls itself events',
      answerWith(200, 'text/event-stream', '{"jsonrpc":"2.0"}'),
      'http-failed',
      /without an answer/u,
    ],
    ['no JSON', answerWith(200, 'application/json', '{"jsonrpc":'), 'bad-answer', /no JSON/u],
    ['a scalar', answerWith(200, 'application/json', '42'), 'bad-answer', /not an object/u],
    [
      'depth',
      answerWith(200, 'application/json', `${'['.repeat(500_000)}${']'.repeat(500_000)}`),
      'answer-too-large',
      /deeper/u,
    ],
    ['a big error page', answerWith(502, 'text/html', PAGE), 'http-failed', /^Server "x" answered HTTP 502$/u],
    [
      'an error in plain text',
      answerWith(500, 'text/plain', 'down\u001b[31m\nfor today'),
      'http-failed',
      /HTTP 500: down for today$/u,
    ],
    ['an error in JSON', answerJson(500, { error: 'oops' }), 'http-failed', /HTTP 500: oops$/u],
    [
      'an error of OAuth',
      answerJson(400, { error: 'invalid', error_description: 'too old' }),
      'http-failed',
      /HTTP 400: invalid$/u,
    ],
    ['no such page', answerWith(404, 'text/html', PAGE), 'http-failed', /HTTP 404$/u],
    ['an error of JSON-RPC', answerJson(400, rpcError('bad header')), 'server-error', /error -32000: bad header$/u],
    ['an error of another call', answerJson(400, rpcError('not yours', -1, 5)), 'http-failed', /HTTP 400: not yours$/u],
    ['an error of JSON-RPC with 500', answerJson(500, rpcError('crashed')), 'server-error', /crashed$/u],
    [
      'a challenge',
      answerWith(401, 'text/plain', 'sign in', { 'www-authenticate': 'Bearer x' }),
      'unauthorized',
      /HTTP 401: sign in/u,
    ],
    ['a no', answerJson(403, rpcError('forbidden')), 'unauthorized', /HTTP 403: forbidden/u],
  ])('%s', async (_what, serve, code, text) => {
    const server = await openServer(serve);
    const client = openClient(server.url);
    const error = await client.failure();
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(text)]);
    expect(error.message.length).toBeLessThan(4096);
    expect(error.message).not.toContain('secret page');
    const again = await client.failure();
    expect(again.code).toBe(code);
  });
});

test('a challenge is kept for whoever signs in, up to a bound', async () => {
  const long = `Bearer scope="${'x'.repeat(9_000)}"`;
  const server = await openServer(answerWith(401, 'text/plain', '', { 'www-authenticate': long }));
  expect((await openClient(server.url).failure()).detail).toEqual({
    kind: 'http',
    status: 401,
    challenge: long.slice(0, 4096),
  });
});

test.each<[value: string, ms: number | undefined]>([
  ['2', 2_000],
  ['0', 0],
  ['Wed, 21 Oct 2026 07:28:10 GMT', 10_000],
  ['Wed, 21 Oct 2026 07:27:00 GMT', 0],
  ['99999999', 31_536_000_000],
  ['soon', undefined],
])('Retry-After: %s', async (value, retryAfterMs) => {
  const date = 'Wed, 21 Oct 2026 07:28:00 GMT';
  const server = await openServer(answerWith(429, 'text/plain', '', { 'retry-after': value, date }));
  expect(await openClient(server.url).failure()).toMatchObject({
    code: 'http-failed',
    detail: { kind: 'http', status: 429, ...(retryAfterMs !== undefined && { retryAfterMs }) },
  });
});

test('an error that repeats our token shows it masked', async () => {
  const server = await openServer(answerWith(500, 'text/plain', 'bad token abc-123-secret in "Bearer abc-123-secret"'));
  const { message } = await openClient(server.url, { headers: { Authorization: 'Bearer abc-123-secret' } }).failure();
  expect(message).toMatch(/bad token .* in/u);
  expect(message).not.toContain('abc-123');
});

async function hasLost(promise: Promise<unknown>): Promise<boolean> {
  return (await rejectionCodeOf(promise)) === 'session-lost';
}

test.each<[what: string, serve: Serve, isLost: boolean]>([
  ['404 and -32001', answerJson(404, rpcError('Session not found', -32_001)), true],
  ['404 and -32600', answerJson(404, rpcError('Session not found', -32_600)), true],
  ['404 alone', answerWith(404, '', ''), true],
  ['400 that names the session', answerJson(400, rpcError('Bad Request: No valid session ID provided')), true],
  ['400 that does not', answerJson(400, rpcError('Bad Request')), false],
])('whether %s means that the session is lost', async (_what, serve, isLost) => {
  const server = await openStateful(serve);
  const client = openClient(server.url);

  expect(await hasLost(client.call())).toBe(false); // no session exists yet
  await client.shakeHands();
  expect(await hasLost(client.call())).toBe(isLost);
  expect(await hasLost(client.pipe.notify({ jsonrpc: '2.0', method: 'tools/call' }))).toBe(isLost);
});

describe('an event stream', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n';

  test('that is cut off at any byte fails its call at once, unless the answer was whole', async () => {
    const stream = `: hi\r\ndata: {"jsonrpc":"2.0",\r\ndata: "id":null,"error":{"code":1,"message":"told"}}\r\n\r\n`;
    const whole = stream.length - 1; // the first byte of the final CR LF already ends the last line
    const url = await openRawServer((cut) => `${head}\r\n${stream.slice(0, cut)}`);
    const client = openClient(url);
    for (let cut = 0; cut <= stream.length; cut++) {
      const { code } = await client.failure({ timeoutMs: 5_000 });
      expect([cut, code]).toEqual([cut, cut >= whole ? 'server-error' : 'http-failed']);
    }
  });

  test('that is reset in a chunk fails its call at once', async () => {
    const url = await openRawServer(() => `${head}Transfer-Encoding: chunked\r\n\r\n10\r\ndata: {`);
    expect((await openClient(url).failure()).message).toMatch(/in the middle of its answer/u);
  });

  const malformed = ['data: hello', 'data: {oops', 'data: 42', 'data: {"jsonrpc":"2.0","method":"notifications/x"'];

  test('may hold events that are no messages before the answer: they are passed over and noted', async () => {
    const server = await openServer((visit, response) => {
      startEvents(response, ...malformed, toSseEvent(httpResult(visit))).end();
    });
    const client = openClient(server.url);
    expect(await client.call()).toEqual({ ok: true });
    expect(client.notes).toEqual([
      expect.stringMatching(/^oddity: an event that is not a message was skipped \(it is no JSON.*\): hello$/u),
      expect.stringMatching(/: \{oops$/u),
      'oddity: an event that is not a message was skipped (it is not an object): 42',
      expect.stringContaining('notifications/x'),
    ]);
  });

  test.each<[what: string, serve: Serve]>([
    ['ends without another', (_visit, response) => void startEvents(response, ...malformed).end()],
    [
      'stays open behind what was the answer',
      (_visit, response) => void startEvents(response, 'data: {"result":{"content":[NaN]},"id":1}'),
    ],
    [
      'stays open behind what names the call',
      ({ message }, response) =>
        void startEvents(response, `data: {"jsonrpc":"2.0","id":${String(message['id'])},"result":{"content":[NaN]}}`),
    ],
    [
      'brings nothing else',
      (_visit, response) => void startEvents(response, ...Array.from({ length: 1_001 }, () => 'data: hello')),
    ],
  ])('whose only answer is broken and that %s fails its call by the reason', async (_what, serve) => {
    const { code, message } = await openClient((await openServer(serve)).url).failure();
    expect([code, message]).toEqual(['bad-answer', expect.stringContaining('it is no JSON')]);
  });

  test('that goes on behind the answer is let go of after a while, and not before', async () => {
    const server = await openServer((visit, response) => void startEvents(response, toSseEvent(httpResult(visit))));
    const clock = new FakeClock();
    const client = openClient(server.url, { clock });
    expect(await client.call()).toEqual({ ok: true });
    const { socket } = server.visits[0]!;
    await clock.pass(900);
    expect(socket.destroyed).toBe(false);
    await clock.pass(200);
    if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
    expect(clock.timers).toBe(0);
  });

  test('leaves no timer behind when it ends by itself', async () => {
    const server = await openServer(
      (visit, response) => void startEvents(response, toSseEvent(httpResult(visit))).end(),
    );
    const clock = new FakeClock();
    const client = openClient(server.url, { clock });
    await client.call();
    await client.call();
    await client.peer[Symbol.asyncDispose]();
    expect(clock.timers).toBe(0);
  });

  test('in gzip is unpacked while it is still open', async () => {
    const server = await openServer((visit, response) => {
      const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
      gzip.pipe(response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }));
      gzip.write(`${toSseEvent(httpResult(visit))}\n\n`);
    });
    expect(await openClient(server.url).call()).toEqual({ ok: true });
  });

  test('with an event of another name is read past it', async () => {
    const server = await openServer((visit, response) => {
      startEvents(response, 'event: ping\ndata: nonsense', `event: message\n${toSseEvent(httpResult(visit))}`).end();
    });
    expect(await openClient(server.url).call()).toEqual({ ok: true });
  });
});
