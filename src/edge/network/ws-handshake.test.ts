import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.js';
import type { HostError } from '../../base/errors.js';
import { systemClock } from '../clock.js';
import { type Handshake, type HandshakeOptions, openWebSocket } from './ws-handshake.js';

interface Scene {
  readonly socket: Socket;
  readonly shake: (options?: Partial<HandshakeOptions>) => Promise<Handshake>;
  /** The bytes that the server has read. */
  readonly received: () => string;
}

/** Opens a connection to a server that replies with exactly these bytes, or acts on the socket itself. */
async function scene(reply: (accept: string, socket: Socket) => string | Buffer | undefined): Promise<Scene> {
  let received = '';
  const sockets: Socket[] = [];
  const server = createServer((peer) => {
    sockets.push(peer);
    peer.on('error', () => {});
    peer.on('data', (bytes: Buffer) => {
      received += bytes.toString('latin1');
      if (!received.endsWith('\r\n\r\n')) return;
      const answer = reply(acceptOf(received), peer);
      if (answer !== undefined) peer.write(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  onTestFinished(() => {
    server.close();
    for (const one of [...sockets, socket]) one.destroy();
  });
  const url = new URL(`ws://127.0.0.1:${port}/mcp?tenant=7`);
  const shake: Scene['shake'] = (options = {}) =>
    openWebSocket(socket, {
      url,
      headers: ['X-Token', 'é'],
      protocol: 'mcp',
      label: 'Server "x"',
      clock: systemClock,
      timeoutMs: 10_000,
      ...options,
    });
  return { socket, shake, received: () => received };
}

function acceptOf(request: string): string {
  const key = /^Sec-WebSocket-Key: (.+)\r$/mu.exec(request)?.[1] ?? '';
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}

const switching = (accept: string, ...more: readonly string[]): string =>
  [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    ...more,
    '\r\n',
  ].join('\r\n');

function failure(handshake: Promise<Handshake>): Promise<HostError> {
  return handshake.then(
    (value) => Promise.reject(new Error(`came to ${value.kind}`)),
    (error: HostError) => error,
  );
}

test('a WebSocket is asked for as the RFC says, and what comes behind the answer is left to be read', async () => {
  const { shake, received, socket } = await scene(
    (accept) => `${switching(accept, 'sec-websocket-protocol:  mcp ')}frames`,
  );
  expect(await shake()).toEqual({ kind: 'open', protocol: 'mcp' });
  expect(received().split('\r\n')).toEqual([
    'GET /mcp?tenant=7 HTTP/1.1',
    expect.stringMatching(/^Host: 127\.0\.0\.1:\d+$/u),
    'Upgrade: websocket',
    'Connection: Upgrade',
    expect.stringMatching(/^Sec-WebSocket-Key: [A-Za-z0-9+/]{22}==$/u),
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Protocol: mcp',
    'X-Token: é',
    '',
    '',
  ]);
  expect(socket.isPaused()).toBe(true);
  const [bytes] = (await once(socket.resume(), 'data')) as [Buffer];
  expect(bytes.toString()).toBe('frames');
});

test.each<[what: string, reply: (accept: string) => string]>([
  [
    'in other letters',
    (accept) => switching(accept).replace('websocket', 'WebSocket').replace('n: Upgrade', 'n: keep-alive, upgrade'),
  ],
  ['after early hints', (accept) => `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${switching(accept)}`],
  ['with an empty one', (accept) => switching(accept, 'Sec-WebSocket-Protocol:', 'Sec-WebSocket-Extensions: ')],
  ['without a reason phrase', (accept) => switching(accept).replace('101 Switching Protocols', '101')],
])('an answer %s is one, even without a subprotocol', async (_what, reply) => {
  const { shake } = await scene(reply);
  expect(await shake()).toEqual({ kind: 'open', protocol: undefined });
});

test('an answer a byte at a time is one, too', async () => {
  const { shake } = await scene((accept, socket) => {
    const bytes = switching(accept).split('');
    const next = (): void => {
      const byte = bytes.shift();
      if (byte !== undefined) socket.write(byte, () => setImmediate(next));
    };
    socket.setNoDelay(true);
    next();
    return undefined;
  });
  expect(await shake()).toMatchObject({ kind: 'open' });
});

test.each<[what: string, reply: (accept: string) => string, message: RegExp]>([
  ['of another key', () => switching('s3pPLMBiTxaQ9kYGzzhZRbK+xOo='), /Sec-WebSocket-Accept does not match our key/u],
  [
    'without a key',
    (accept) => switching(accept).replace(/Sec-WebSocket-Accept.*\r\n/u, ''),
    /does not match our key/u,
  ],
  ['to another protocol', (accept) => switching(accept).replace('websocket', 'h2c'), /but not to a WebSocket/u],
  [
    'without Connection',
    (accept) => switching(accept).replace('Connection: Upgrade\r\n', ''),
    /but not to a WebSocket/u,
  ],
  [
    'with extensions',
    (accept) => switching(accept, 'Sec-WebSocket-Extensions: permessage-deflate'),
    /extensions that Plugboard did not offer: "permessage-deflate"/u,
  ],
  [
    'of another subprotocol',
    (accept) => switching(accept, 'Sec-WebSocket-Protocol: graphql\u001B[31m-ws'),
    /chose the WebSocket subprotocol "graphql-ws" instead of "mcp"/u,
  ],
  ['that is no HTTP', () => 'SSH-2.0-OpenSSH_9.2\r\n', /does not speak HTTP/u],
  ['that is HTTP/2', () => '\0\0\u0006\u0004\0\0\0\0\0', /does not speak HTTP/u],
  ['with a broken header', (accept) => switching(accept, 'no header'), /does not speak HTTP/u],
  ['with a folded header', (accept) => switching(accept, ' folded: x'), /does not speak HTTP/u],
  [
    'with 20 KB of headers',
    (accept) => switching(accept, `X: ${'y'.repeat(20_000)}`),
    /more than 16384 bytes of response headers/u,
  ],
  ['that only ever hints', () => 'HTTP/1.1 103 x\r\n\r\n'.repeat(2_000), /more than 16384 bytes/u],
])('an answer %s is refused by name', async (_what, reply, message) => {
  const { shake, socket } = await scene(reply);
  const error = await failure(shake());
  expect(error.code).toBe('connect-failed');
  expect(error.message).toMatch(/^Server "x" /u);
  expect(error.message).toMatch(message);
  expect(socket.destroyed).toBe(true);
});

test.each([
  [
    'with a length',
    'HTTP/1.1 401 no\r\nContent-Length: 4\r\nContent-Type: text/plain\r\n\r\nnope and more',
    'nope and more',
  ],
  ['in chunks', 'HTTP/1.1 401 no\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n2;x=y\r\npe\r\n0\r\n\r\n', 'nope'],
  [
    'in half a chunk',
    `HTTP/1.1 401 no\r\nTransfer-Encoding: chunked\r\n\r\n1ffff\r\n${'x'.repeat(80_000)}`,
    'x'.repeat(65_536 - 7),
  ],
  ['without an end', `HTTP/1.1 401 no\r\n\r\n${'x'.repeat(80_000)}`, 'x'.repeat(65_536)],
  ['of nothing', 'HTTP/1.1 401 no\r\nContent-Length: 0\r\n\r\n', ''],
])('a refusal %s is handed over, as far as it goes', async (_what, reply, body) => {
  const { shake, socket } = await scene(() => reply);
  const handshake = await shake();
  expect(handshake).toMatchObject({ kind: 'refused', status: 401 });
  expect(handshake.kind === 'refused' && handshake.body.toString().startsWith(body)).toBe(true);
  expect(handshake.kind === 'refused' && handshake.body.length).toBeLessThanOrEqual(65_536);
  expect(socket.destroyed).toBe(true);
});

test('a refusal whose body does not come is told without it', async () => {
  const clock = new FakeClock();
  const { shake, socket } = await scene(() => 'HTTP/1.1 500 no\r\nContent-Length: 100\r\n\r\nhalf');
  const handshake = shake({ clock });
  await once(socket, 'data');
  await clock.pass(2_000);
  expect(await handshake).toMatchObject({ kind: 'refused', status: 500, body: Buffer.from('half') });
});

test('a refusal that ends with the connection is told', async () => {
  const { shake } = await scene((_accept, socket) => void socket.end('HTTP/1.1 403 no\r\n\r\nbye'));
  expect(await shake()).toMatchObject({ kind: 'refused', status: 403, body: Buffer.from('bye') });
});

test('a server that hangs up instead of answering is named', async () => {
  const { shake } = await scene((_accept, socket) => void socket.end());
  const error = await failure(shake());
  expect(error.message).toMatch(/^Server "x" closed the connection before it answered the request for a WebSocket/u);
});

test('a server that says nothing is waited for so long and no longer', async () => {
  const clock = new FakeClock();
  const { shake, socket } = await scene(() => undefined);
  const error = failure(shake({ clock, timeoutMs: 500 }));
  await clock.pass(500);
  expect(await error).toMatchObject({
    code: 'connect-timeout',
    message: 'Server "x" did not answer the request for a WebSocket within 500 ms',
  });
  expect(socket.destroyed).toBe(true);
  expect(clock.timers).toBe(0);
});

test.each([true, false])('whoever no longer wants it need not wait (before it began: %s)', async (isBefore) => {
  const { shake, socket } = await scene(() => undefined);
  const controller = new AbortController();
  if (isBefore) controller.abort();
  const error = failure(shake({ signal: controller.signal }));
  controller.abort();
  expect((await error).code).toBe('cancelled');
  expect(socket.destroyed).toBe(true);
});
