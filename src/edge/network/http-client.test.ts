import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import type { HostError } from '../../base/errors.js';
import { HttpClient, type HttpExchange, type HttpResponseHandler, type HttpRequest } from './http-client.js';

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An HTTP server with this request handler. */
function openHttp(serve: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  return listen(createHttpServer(serve));
}

/** A TCP server that calls `serve` when the first bytes have come. */
function openRaw(serve: (socket: Socket) => void): Promise<string> {
  return listen(
    createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => serve(socket));
    }),
  );
}

function openClient(origin: string): HttpClient {
  const client = new HttpClient({ origin, label: 'Server "x"' });
  onTestFinished(() => client.close());
  return client;
}

const GET: HttpRequest = { method: 'GET', path: '/', headers: [], body: null, headersTimeoutMs: 0 };

interface Answer {
  readonly status: number;
  readonly body: string;
}

function ask(client: HttpClient, request: Partial<HttpRequest> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let status = 0;
    const pieces: Buffer[] = [];
    client.send(
      { ...GET, ...request },
      {
        headers: (code) => void (status = code),
        data: (bytes) => pieces.push(bytes) > 0,
        end: () => resolve({ status, body: Buffer.concat(pieces).toString() }),
        failed: reject,
      },
    );
  });
}

async function failureOf(origin: string, request: Partial<HttpRequest> = {}): Promise<HostError> {
  return ask(openClient(origin), request).then(
    (answer) => Promise.reject(new Error(`answered ${JSON.stringify(answer)}`)),
    (error: HostError) => error,
  );
}

test('one connection serves one request after the other', async () => {
  const ports = new Set<number>();
  const origin = await openHttp((request, response) => {
    ports.add(request.socket.remotePort!);
    response.end(request.url);
  });
  const client = openClient(origin);
  for (const path of ['/a', '/b', '/c']) expect(await ask(client, { path })).toEqual({ status: 200, body: path });
  expect(ports.size).toBe(1);
});

test('a body is sent as it is, and headers with it', async () => {
  const origin = await openHttp((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => response.end(`${String(request.headers['x-a'])} ${Buffer.concat(pieces).toString()}`));
  });
  const body = Buffer.from('grüße');
  expect(await ask(openClient(origin), { method: 'POST', headers: ['x-a', '1'], body })).toEqual({
    status: 200,
    body: '1 grüße',
  });
});

test.each<[coding: string, pack: (text: string) => Buffer]>([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['identity', (text) => Buffer.from(text)],
])('a body in %s is unpacked', async (coding, pack) => {
  const text = 'hello '.repeat(100_000);
  const origin = await openHttp((_request, response) => {
    response.setHeader('content-encoding', coding);
    response.end(pack(text));
  });
  expect((await ask(openClient(origin))).body).toBe(text);
});

const OK = 'HTTP/1.1 200 OK\r\n';
const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\n';
const BIG_HEADER = `X-Big: ${'x'.repeat(1000)}\r\n`;

test.each<[what: string, bytes: string, text: RegExp]>([
  ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n', /does not speak HTTP at http:\/\/127/u],
  ['a TLS alert', '\x15\x03\x01\x00\x02\x02\x46', /speaks TLS at http:.*, not plain HTTP/u],
  ['nothing', '', /closed the connection without an answer/u],
  ['half a header', `${OK}Content-Ty`, /broke off within its response headers/u],
  ['another protocol', `${UPGRADE}Upgrade: x\r\nConnection: upgrade\r\n\r\n`, /HTTP 101/u],
  ['another protocol, badly', `${UPGRADE}\r\n`, /HTTP 101/u],
  ['announcements for ever', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(30), /HTTP 1xx/u],
  ['200 KB of headers', `${OK}${BIG_HEADER.repeat(200)}\r\n`, /more than 16384 bytes of response headers/u],
  ['less than its length', `${OK}Content-Length: 10\r\n\r\nhalf`, /in the middle of its answer/u],
  ['a chunk cut off', `${OK}Transfer-Encoding: chunked\r\n\r\n4\r\nha`, /in the middle of its answer/u],
  ['a chunk that is none', `${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, /broken HTTP/u],
  ['gzip that is none', `${OK}Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd`, /not the gzip it claims/u],
  [
    'an unknown coding',
    `${OK}Content-Encoding: zstd\r\nContent-Length: 1\r\n\r\nx`,
    /coding that Plugboard did not offer/u,
  ],
])('a server that sends %s fails the request with the reason', async (_what, bytes, text) => {
  const error = await failureOf(await openRaw((socket) => socket.end(bytes, 'latin1')));
  expect([error.code, error.message]).toEqual(['http-failed', expect.stringMatching(text)]);
  expect(error.message).toMatch(/^Server "x" /u);
});

test('gzip that is cut off is no whole body', async () => {
  const half = gzipSync('hello').subarray(0, 12);
  const origin = await openHttp((_request, response) => response.setHeader('content-encoding', 'gzip').end(half));
  expect((await failureOf(origin)).message).toMatch(/not the gzip it claims/u);
});

test.each([
  ['', /closed the connection without an answer/u],
  [`${OK}Content-Length: 10\r\n\r\nhalf`, /closed the connection in the middle of its answer/u],
])('a reset after %j is told as that', async (bytes, text) => {
  const origin = await openRaw((socket) => socket.write(bytes, () => setImmediate(() => socket.resetAndDestroy())));
  const error = await failureOf(origin);
  expect([error.code, error.message]).toEqual(['http-failed', expect.stringMatching(text)]);
});

test('whoever cannot be reached was sent nothing, and the error says so', async () => {
  const gone = createServer();
  gone.listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port } = gone.address() as AddressInfo;
  gone.close();
  await once(gone, 'close');
  expect(await failureOf(`http://127.0.0.1:${port}`)).toMatchObject({
    code: 'connect-failed',
    message: `Server "x" refused the connection at http://127.0.0.1:${port}`,
  });
  const nowhere = await failureOf('http://nowhere.invalid');
  expect([nowhere.code, nowhere.message]).toEqual([
    'connect-failed',
    expect.stringMatching(/there is no host nowhere\.invalid|DNS does not answer for nowhere\.invalid/u),
  ]);
});

test('https to a server that has none fails with the reason', async () => {
  const origin = (await openHttp((_request, response) => response.end())).replace('http:', 'https:');
  const error = await failureOf(origin);
  expect([error.code, error.message]).toEqual([
    'connect-failed',
    expect.stringMatching(/does not speak TLS at https:.*plain HTTP/u),
  ]);
});

test('response headers that never come end with the time for them', async () => {
  const origin = await openHttp(() => {});
  const error = await failureOf(origin, { headersTimeoutMs: 50 });
  expect([error.code, error.message]).toEqual(['call-timeout', 'Server "x" sent no response headers within 50 ms']);
});

test('a header that HTTP does not allow fails its request alone', async () => {
  const client = openClient(await openHttp((_request, response) => response.end('fine')));
  await expect(ask(client, { headers: ['x-a', 'a\r\nx-b: 1'] })).rejects.toMatchObject({ code: 'connect-failed' });
  expect((await ask(client)).body).toBe('fine');
});

/** Pauses the reading after every chunk for one turn of the event loop. Resolves with the bytes read. */
function readSlowly(origin: string, onPiece: () => void): Promise<number> {
  return new Promise((resolve, reject) => {
    let read = 0;
    let isHeld = false;
    const goOn = (): void => {
      onPiece();
      isHeld = false;
      exchange.resume();
    };
    const exchange: HttpExchange = openClient(origin).send(GET, {
      headers: () => {},
      data(bytes) {
        if (isHeld || bytes.length > 200_000) reject(new Error(`${bytes.length} bytes, held up: ${isHeld}`));
        read += bytes.length;
        isHeld = true;
        setImmediate(goOn);
        return false;
      },
      end: () => resolve(read),
      failed: reject,
    });
  });
}

test('reading can be held up, and the server waits', async () => {
  let written = 0;
  const total = 50_000_000;
  const piece = Buffer.alloc(100_000);
  const origin = await openHttp((_request, response) => {
    const write = (): void => {
      while (written < total) {
        written += piece.length;
        if (!response.write(piece)) return void response.once('drain', write);
      }
      response.end();
    };
    write();
  });
  let ahead: number | undefined;
  await readSlowly(origin, () => (ahead ??= written));
  expect(ahead).toBeLessThan(total / 2);
});

test('a packed body is held up with its reader, and never unpacked ahead of it', async () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000));
  const origin = await openHttp((_request, response) => response.setHeader('content-encoding', 'gzip').end(bomb));
  let pieces = 0;
  expect(await readSlowly(origin, () => pieces++)).toBe(20_000_000);
  expect(pieces).toBeGreaterThanOrEqual(20_000_000 / 65_536);
});

/** A handler that records its calls. */
function listener(received: string[]): HttpResponseHandler {
  return {
    headers: (status) => void received.push(`headers ${status}`),
    data: () => received.push('data') > 0,
    end: () => void received.push('end'),
    failed: ({ code }) => void received.push(code),
  };
}

test('a request that is withdrawn is never heard of again, and its connection goes', async () => {
  const asked: IncomingMessage[] = [];
  const arrived: (() => void)[] = [];
  const origin = await openHttp((request, response) => {
    if (request.url === '/') return void response.end('fine');
    asked.push(request);
    return arrived.pop()?.();
  });
  const client = openClient(origin);
  const received: string[] = [];
  const isThere = new Promise<void>((resolve) => void arrived.push(resolve));
  const exchange = client.send({ ...GET, path: '/slow' }, listener(received));
  await isThere;
  exchange.abort();
  exchange.abort();
  if (!asked[0]!.socket.destroyed) await once(asked[0]!.socket, 'close');
  expect(await ask(client)).toEqual({ status: 200, body: 'fine' });
  expect(received).toEqual([]);
});

test('a request that is withdrawn before it was sent is not sent, and costs no connection', async () => {
  const paths: string[] = [];
  const ports = new Set<number>();
  const origin = await openHttp((request, response) => {
    paths.push(request.url!);
    ports.add(request.socket.remotePort!);
    response.end();
  });
  const client = openClient(origin);
  client.send({ ...GET, path: '/withdrawn' }, listener([])).abort();
  await ask(client, { path: '/a' });
  const received: string[] = [];
  const exchange = client.send({ ...GET, path: '/withdrawn' }, listener(received));
  exchange.abort();
  await ask(client, { path: '/b' });
  await ask(client, { path: '/c' });
  expect({ paths, heard: received, connections: ports.size <= 2 }).toEqual({
    paths: ['/a', '/b', '/c'],
    heard: [],
    connections: true,
  });
});

test('what a server does not take is counted until it does', async () => {
  const arrived: (() => void)[] = [];
  const isThere = new Promise<void>((resolve) => void arrived.push(resolve));
  const origin = await openRaw((socket) => {
    socket.pause();
    arrived.pop()?.();
  });
  const client = openClient(origin);
  expect(client.backlog).toBe(0);
  const body = Buffer.alloc(20_000_000);
  const received: string[] = [];
  const exchange = client.send({ ...GET, method: 'POST', body }, listener(received));
  expect(client.backlog).toBe(body.length);
  await isThere;
  expect(client.backlogAbout).toBeGreaterThan(10_000_000);
  expect(client.backlogAbout).toBeLessThan(30_000_000);
  exchange.abort();
  expect(client.backlog).toBe(0);
});

test('a reply gets through although calls have taken every connection, and nobody is warned of anything', async () => {
  const warnings: Error[] = [];
  const receive = (warning: Error): number => warnings.push(warning);
  process.on('warning', receive);
  onTestFinished(() => void process.off('warning', receive));
  const waiting: ServerResponse[] = [];
  const origin = await openHttp((request, response) => {
    if (request.url !== '/reply') return void waiting.push(response);
    response.end('taken');
    for (const one of waiting) one.end('done');
    return undefined;
  });
  const client = openClient(origin);
  await ask(client, { path: '/reply' });
  const calls = Array.from({ length: 110 }, () => ask(client));
  while (waiting.length < 100) await new Promise((resolve) => setImmediate(resolve));
  expect(await ask(client, { path: '/reply', isUrgent: true })).toEqual({ status: 200, body: 'taken' });
  // The ten calls that had no connection are sent now, and need a reply of their own.
  while (waiting.length < 110) await new Promise((resolve) => setImmediate(resolve));
  await ask(client, { path: '/reply', isUrgent: true });
  expect((await Promise.all(calls)).every(({ body }) => body === 'done')).toBe(true);
  expect(warnings).toEqual([]);
});

test('a client that is closed says no more, whatever was under way', async () => {
  const arrived: (() => void)[] = [];
  const origin = await openHttp(() => arrived.pop()?.());
  const received: string[] = [];
  const client = new HttpClient({ origin, label: 'Server "x"' });
  const isThere = new Promise<void>((resolve) => void arrived.push(resolve));
  client.send(GET, listener(received));
  await isThere;
  client.send(GET, listener(received));
  await client.close();
  client.send(GET, listener(received));
  await client.close();
  const early = new HttpClient({ origin, label: 'Server "x"' });
  early.send(GET, listener(received));
  await early.close();
  await new Promise((resolve) => setImmediate(resolve));
  expect(received).toEqual([]);
});

test('a server that refuses a long body and never reads the rest does not keep the next request waiting', async () => {
  const origin = await listen(
    createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (bytes: Buffer) => {
        if (bytes.toString('latin1', 0, 3) === 'GET') socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfine');
        else socket.pause().write('HTTP/1.1 413 Too Long\r\ncontent-length: 2\r\n\r\nno');
      });
    }),
  );
  const client = openClient(origin);
  expect(await ask(client, { method: 'POST', body: Buffer.alloc(12_000_000) })).toEqual({ status: 413, body: 'no' });
  expect(await ask(client)).toEqual({ status: 200, body: 'fine' });
});
