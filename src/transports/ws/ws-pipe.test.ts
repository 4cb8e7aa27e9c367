import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { FakeClock, turn } from '../../../test/fake-clock.js';
import { MemorySpill } from '../../../test/memory-spill.js';
import { Spilled } from '../../model/spilled.js';
import { fragments, readWithOracle, serverFrame, textFrame } from '../../wire/ws/ws-fixtures.js';
import {
  behaveOverWs,
  listen,
  openPipe,
  openRawWsServer,
  openWsClient,
  openWsServer,
  wsResult,
  send,
} from './ws-fixtures.js';
import { failureOf } from '../peer-fixtures.js';

describe('calls', () => {
  test('go there and back as texts under the subprotocol mcp', async () => {
    const server = await openWsServer();
    const client = await openWsClient(server.url);
    expect(await client.call({ text: 'grüße 😀' })).toEqual({ echo: { text: 'grüße 😀' } });
    expect(server.clients[0]!.protocol).toBe('mcp');
    expect(server.visits[0]!.headers).toMatchObject({ 'user-agent': expect.stringMatching(/^plugboard\//u) as string });
    expect(server.visits[0]!.headers['sec-websocket-extensions']).toBeUndefined();
    expect(server.visits[0]!.headers.origin).toBeUndefined();
    expect(client.notes).toEqual([]);
  });

  test('of one turn go out in one piece', async () => {
    const pieces: number[] = [];
    const url = await openRawWsServer(
      () => {},
      (bytes) => void pieces.push(bytes.length),
    );
    const client = await openWsClient(url);
    const calls = Array.from({ length: 50 }, async (_, index) => client.call({ index }).catch(() => {}));
    await expect.poll(() => pieces.length).toBeGreaterThan(0);
    await turn();
    expect(pieces).toHaveLength(1);
    await client.peer[Symbol.asyncDispose]();
    await Promise.all(calls);
  });

  test('five hundred at once get each its own answer, in whichever order they come', async () => {
    const held: (() => void)[] = [];
    const server = await openWsServer((message, client) => {
      held.push(() => behaveOverWs(message, client));
      if (held.length === 500) for (const tell of held.toReversed()) tell();
    });
    const client = await openWsClient(server.url);
    const answers = await Promise.all(Array.from({ length: 500 }, (_, index) => client.call({ index })));
    expect(answers).toEqual(Array.from({ length: 500 }, (_, index) => ({ echo: { index } })));
  });

  test('of every size arrive as they are', async () => {
    const server = await openWsServer();
    const client = await openWsClient(server.url);
    for (const length of [0, 60, 125, 126, 60_000, 70_000, 3_000_000]) {
      const text = 'é'.repeat(length);
      expect(await client.call({ text })).toEqual({ echo: { text } });
    }
  });

  test('reach a server that confirms no subprotocol, with a note', async () => {
    const server = await openWsServer(behaveOverWs, { protocols: [] });
    const client = await openWsClient(server.url);
    expect(await client.call()).toEqual({ echo: {} });
    expect(client.notes).toEqual(['oddity: the server did not confirm the WebSocket subprotocol "mcp"']);
  });

  test('that nobody waits for any more are withdrawn by a message', async () => {
    const methods: unknown[] = [];
    const server = await openWsServer((message) => void methods.push(message['method']));
    const client = await openWsClient(server.url);
    expect((await client.failure({ timeoutMs: 20 })).code).toBe('call-timeout');
    await expect.poll(() => methods).toEqual(['tools/call', 'notifications/cancelled']);
    expect(client.pipe.abandon(1, { isTimedOut: false, others: 0 })).toBe(false);
  });
});

describe('what a server sends', () => {
  test('unasked is heard', async () => {
    const server = await openWsServer((message, client) => {
      send(client, { jsonrpc: '2.0', method: 'notifications/x' });
      behaveOverWs(message, client);
    });
    const client = await openWsClient(server.url);
    await client.call();
    expect(client.notifications).toEqual(['notifications/x']);
  });

  test('together with its acceptance is heard, even when it is the last', async () => {
    const url = await openRawWsServer((socket) => socket.end(textFrame({ jsonrpc: '2.0', method: 'notifications/x' })));
    const client = await openWsClient(url);
    expect(await client.lost()).toContain('closed the connection');
    expect(client.notifications).toEqual(['notifications/x']);
  });

  test('in fragments is put together, by whichever program it was cut', async () => {
    const server = await openWsServer((message, client) => {
      const text = JSON.stringify(wsResult(message, { text: 'é'.repeat(1000) }));
      for (let at = 0; at < text.length; at += 7) {
        client.send(text.slice(at, at + 7), { fin: at + 7 >= text.length });
        if (at % 21 === 0) client.ping('now');
      }
    });
    const client = await openWsClient(server.url);
    expect(await client.call()).toEqual({ text: 'é'.repeat(1000) });
  });

  test('too large fails one call and nothing else', async () => {
    const server = await openWsServer((message, client) => {
      const params = message['params'] as { readonly bytes?: number };
      send(client, wsResult(message, { text: 'x'.repeat(params.bytes ?? 0) }));
    });
    const client = await openWsClient(server.url);
    const large = failureOf(client.call({ bytes: 20_000_000 }));
    const small = client.call();
    expect(await large).toMatchObject({ code: 'answer-too-large' });
    expect(await small).toEqual({ text: '' });
    const spill = new MemorySpill();
    const spilled = await client.call({ bytes: 20_000_000 }, { spill });
    expect(spilled['text']).toBeInstanceOf(Spilled);
    expect(spill.textOf((spilled['text'] as Spilled).place)).toHaveLength(20_000_000);
  });

  test('as a ping is answered with what it said, once it is read', async () => {
    const received: Buffer[] = [];
    const url = await openRawWsServer(
      (socket) => socket.write(Buffer.concat(['a', 'b', 'c'].map((payload) => serverFrame('ping', payload)))),
      (bytes) => void received.push(bytes),
    );
    await openWsClient(url);
    await expect.poll(() => received.length).toBeGreaterThan(0);
    // Pings that arrive together get one pong, for the last.
    expect(await readWithOracle(Buffer.concat(received), { isServer: true })).toEqual(['pong 63']);
  });

  test('as pings without end, while it reads nothing, fills nobody’s memory', async () => {
    const sockets: Socket[] = [];
    const client = await openWsClient(await openRawWsServer((socket) => void sockets.push(socket.pause())));
    const large = failureOf(client.call({ text: 'x'.repeat(12_000_000) }));
    await turn();
    const before = client.pipe.backlog;
    for (let count = 0; count < 2_000; count++) {
      sockets[0]!.write(serverFrame('ping', 'x'.repeat(125)));
      await new Promise((resolve) => setImmediate(resolve));
    }
    sockets[0]!.write(textFrame({ jsonrpc: '2.0', method: 'notifications/last' }));
    await expect.poll(() => client.notifications).toEqual(['notifications/last']);
    expect(before).toBeGreaterThan(1_000_000);
    expect(client.pipe.backlog).toBeLessThanOrEqual(before);
    await client.peer[Symbol.asyncDispose]();
    expect((await large).code).toBe('connection-closed');
  });
});

describe('a request for a WebSocket', () => {
  test('carries the headers of the entry, and cannot be unsaid by them', async () => {
    const server = await openWsServer();
    const headers = {
      Authorization: 'Bearer secret-token',
      Host: 'evil.test',
      Upgrade: 'h2c',
      'Sec-WebSocket-Key': 'x',
    };
    const client = await openWsClient(server.url, { headers: { ...headers, 'User-Agent': 'me', 'X-Name': 'ü' } });
    await client.call();
    expect(server.visits[0]!.headers).toMatchObject({
      authorization: 'Bearer secret-token',
      host: server.url.slice(5, -4),
      upgrade: 'websocket',
      'user-agent': 'me',
      'x-name': 'ü',
    });
    expect(server.visits[0]!.url).toBe('/mcp');
  });

  test('with a header that HTTP does not allow is not made, and its value is not told', async () => {
    const error = await failureOf(openPipe('ws://127.0.0.1:9/', { headers: { 'X-Token': 'secret\r\nHost: evil' } }));
    expect(error.code).toBe('config-invalid');
    expect(error.message).toBe('Server "x": the header "X-Token" is not valid HTTP');
  });

  test.each(['', 'http://h.test/', 'wss//h', 'file:///etc/passwd'])('to %j is none', async (url) => {
    expect((await failureOf(openPipe(url))).message).toBe('Server "x" has a URL that is not a WebSocket URL');
  });

  test('to where nobody listens says so', async () => {
    const gone = createServer();
    const url = `ws://${await listen(gone)}/`;
    await new Promise((resolve) => gone.close(resolve));
    const error = await failureOf(openPipe(url));
    expect(error.code).toBe('connect-failed');
    expect(error.message).toContain('Server "x"');
  });

  test.each<[status: number, headers: Record<string, string>, body: string, code: string, message: string | RegExp]>([
    [
      401,
      { 'content-type': 'application/json', 'www-authenticate': 'Bearer realm="x"' },
      '{"error":{"message":"no \\u001b[31mtoken secret-token"}}',
      'unauthorized',
      'Server "x" answered HTTP 401 instead of opening a WebSocket: no token ••••',
    ],
    [403, {}, '', 'unauthorized', 'Server "x" answered HTTP 403 instead of opening a WebSocket'],
    [404, { 'content-type': 'text/html' }, '<h1>no</h1>', 'http-failed', /HTTP 404 instead of opening a WebSocket$/u],
    [200, { 'content-type': 'text/plain' }, 'hello\nyou', 'http-failed', /HTTP 200 .*: hello you$/u],
    [500, { 'content-type': 'text/plain' }, 'x'.repeat(100_000), 'http-failed', /HTTP 500 .*truncated/u],
    [
      302,
      { location: 'wss://me:pass@else.test/mcp?token=secret' },
      '',
      'http-failed',
      'Server "x" answered HTTP 302: a redirect to wss://else.test/mcp',
    ],
  ])('that is answered with HTTP %i is told as that', async (status, headers, body, code, message) => {
    const http = createServer((_request, response) => response.writeHead(status, headers).end(body));
    const entry = { headers: { Authorization: 'Bearer secret-token' } };
    const error = await failureOf(openPipe(`ws://${await listen(http)}/`, entry));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.message.length).toBeLessThan(4_000);
    const challenge = headers['www-authenticate'];
    expect(error.detail).toEqual({ kind: 'http', status, ...(challenge !== undefined && { challenge }) });
  });

  test('leaves nothing behind when it is given up', async () => {
    const sockets: Socket[] = [];
    const http = createServer().on('upgrade', (_request, socket) => void sockets.push(socket as Socket));
    const controller = new AbortController();
    const error = failureOf(openPipe(`ws://${await listen(http)}/`, { signal: controller.signal }));
    await expect.poll(() => sockets.length).toBe(1);
    const ended = new Promise((resolve) => sockets[0]!.once('end', resolve).resume());
    controller.abort();
    expect((await error).code).toBe('cancelled');
    await ended;
  });
});

describe('a connection', () => {
  test.each<[what: string, end: (client: WebSocket) => void, text: string]>([
    ['with a reason', (client) => client.close(1011, 'out of \u001B[31mmemory'), 'with code 1011: out of memory'],
    ['with a code of its own', (client) => client.close(4001), 'with code 4001'],
    ['without a code', (client) => client.close(), 'without a code'],
    ['and tells what it was told', (client) => client.close(1008, 'bad secret-token'), 'with code 1008: bad ••••'],
  ])('that the server closes %s ends with it', async (_what, end, text) => {
    const server = await openWsServer((_message, client) => end(client));
    const client = await openWsClient(server.url, { headers: { 'X-Token': 'secret-token' } });
    const error = await client.failure();
    expect(error.code).toBe('connection-closed');
    expect(error.message).toContain(`: Server "x" closed the WebSocket ${text}`);
    expect((await server.left).code).not.toBe(1006);
    expect((await client.failure()).code).toBe('connection-closed');
  });

  test.each<[what: string, end: (socket: Socket) => void]>([
    ['hangs up', (socket) => void socket.end()],
    ['resets', (socket) => void socket.resetAndDestroy()],
    ['stops in the middle of a frame', (socket) => void socket.end(textFrame('{"a":1}').subarray(0, 4))],
  ])('that the server %s ends at once', async (_what, end) => {
    const url = await openRawWsServer(
      () => {},
      (_bytes, socket) => end(socket),
    );
    const client = await openWsClient(url);
    expect((await client.failure()).message).toMatch(/Server "x" closed the connection without closing the WebSocket/u);
  });

  test('that ends behind an answer brings the answer first', async () => {
    const url = await openRawWsServer(
      () => {},
      (bytes, socket) => void readId(bytes).then((id) => socket.end(textFrame(wsResult({ id }, { text: LONG })))),
    );
    const client = await openWsClient(url);
    expect(await client.call()).toEqual({ text: LONG });
    expect(await client.lost()).toContain('without closing the WebSocket');
  });

  test.each([
    ['masks', serverFrame('text', '{}', true, { mask: true })],
    ['goes on with nothing', serverFrame('continuation', '{}')],
    ['sends junk', Buffer.from('HTTP/1.1 200 OK\r\n\r\n')],
  ])('whose server %s is cut off with the code for that', async (_what, bytes) => {
    const received: Buffer[] = [];
    const url = await openRawWsServer(
      (socket) => socket.write(bytes),
      (more) => void received.push(more),
    );
    const client = await openWsClient(url);
    expect(await client.lost()).toMatch(/^Server "x" was cut off: it /u);
    await client.peer[Symbol.asyncDispose]();
    expect(await readWithOracle(Buffer.concat(received), { isServer: true })).toEqual(['closing 1002 ']);
  });

  test('that is closed says goodbye with what was still to be said before it', async () => {
    const methods: unknown[] = [];
    const server = await openWsServer((message) => void methods.push(message['method']));
    const client = await openWsClient(server.url);
    const told = client.peer.notify('notifications/last');
    const closing = client.peer[Symbol.asyncDispose]();
    await told;
    await closing;
    expect(await client.pipe.closed).toEqual({ kind: 'disposed' });
    expect(await server.left).toEqual({ code: 1000, reason: '' });
    expect(methods).toEqual(['notifications/last']);
    await client.pipe[Symbol.asyncDispose]();
    expect((await failureOf(client.pipe.notify({ jsonrpc: '2.0', method: 'x' }))).code).toBe('connection-closed');
  });

  test('whose server does not part is left after a second', async () => {
    const clock = new FakeClock();
    const url = await openRawWsServer((socket) => Object.assign(socket, { allowHalfOpen: true }));
    const client = await openWsClient(url, { clock });
    const state = { isOver: false };
    const over = client.pipe[Symbol.asyncDispose]().then(() => (state.isOver = true));
    await turn();
    await clock.pass(999);
    expect(state.isOver).toBe(false);
    await clock.pass(1);
    await over;
    expect(clock.timers).toBe(0);
  });

  test('to a server that reads nothing takes so much and no more', async () => {
    const url = await openRawWsServer((socket) => void socket.pause());
    const client = await openWsClient(url);
    const text = 'x'.repeat(6_000_000);
    const calls = Array.from({ length: 6 }, () => failureOf(client.call({ text })));
    const late = await failureOf(client.call());
    expect(late.code).toBe('overloaded');
    expect(late.message).toMatch(/^Server "x" does not read its input: \d+ MB are waiting$/u);
    expect(client.pipe.backlog).toBeGreaterThan(16_000_000);
    await client.peer[Symbol.asyncDispose]();
    expect(new Set((await Promise.all(calls)).map(({ code }) => code))).toEqual(
      new Set(['overloaded', 'connection-closed']),
    );
  });

  test('is not sent a message of more than 64 MB', async () => {
    const server = await openWsServer();
    const client = await openWsClient(server.url);
    expect(await failureOf(client.call({ text: 'x'.repeat(65_000_000) }))).toMatchObject({ code: 'overloaded' });
    expect(await client.call()).toEqual({ echo: {} });
  });
});

const LONG = 'x'.repeat(6_000_000);

async function readId(bytes: Buffer): Promise<number> {
  const [line] = await readWithOracle(bytes, { isServer: true });
  return (JSON.parse(Buffer.from(line!.slice('message '.length), 'hex').toString()) as { id: number }).id;
}

describe('a connection on which nothing moves', () => {
  test('is asked every 30 s whether anybody is there, and lives as long as somebody is', async () => {
    const clock = new FakeClock();
    const server = await openWsServer();
    const client = await openWsClient(server.url, { clock });
    let pings = 0;
    server.clients[0]!.on('ping', () => pings++);
    for (let round = 1; round <= 3; round++) {
      await clock.pass(29_999);
      expect(pings).toBe(round - 1);
      await clock.pass(1);
      await expect.poll(() => pings).toBe(round);
      // The pong has arrived once the call after it returns.
      await client.call();
    }
    await clock.pass(10_000);
    expect(await client.call()).toEqual({ echo: {} });
  });

  test('is lost when nobody answers within two minutes', async () => {
    const clock = new FakeClock();
    const client = await openWsClient(await openRawWsServer(() => {}), { clock });
    const call = client.failure({ timeoutMs: 1_000_000 });
    await clock.pass(30_000);
    await clock.pass(120_000);
    const error = await call;
    expect(error.code).toBe('connection-closed');
    expect(error.message).toContain('Server "x" did not answer a ping within 120 s');
  });

  test('counts any byte as a sign of life', async () => {
    const clock = new FakeClock();
    const sockets: Socket[] = [];
    const client = await openWsClient(await openRawWsServer((socket) => void sockets.push(socket)), { clock });
    await clock.pass(30_000);
    sockets[0]!.write(fragments('{"jsonrpc":"2.0",', '"method":"notifications/x"}'));
    await expect.poll(() => client.notifications).toEqual(['notifications/x']);
    await clock.pass(29_000);
    sockets[0]!.write(textFrame({ jsonrpc: '2.0', method: 'notifications/y' }));
    await expect.poll(() => client.notifications).toEqual(['notifications/x', 'notifications/y']);
  });
});
