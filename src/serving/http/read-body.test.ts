import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../edge/clock.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { untilFound } from '../../../test/hang-guard.js';
import { type Body, BODY_LIMITS, BodyReader } from './read-body.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A listener that reads each body, and the bodies that it has read. */
async function listen(reader: BodyReader) {
  const bodies: Promise<Body>[] = [];
  const server = createServer((request) => void bodies.push(reader.read(request)));
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open = (): Socket => connect(port, '127.0.0.1').on('error', () => {}); // refused bodies are cut
  const next = (): Promise<Body> => untilFound(() => bodies.shift());
  return { open, next, server };
}

async function read(head: readonly string[], body: string | Buffer): Promise<Body> {
  using reader = new BodyReader(systemClock);
  const { open, next } = await listen(reader);
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  open().write(
    Buffer.concat([
      Buffer.from(`${['POST / HTTP/1.1', 'Host: x', ...head, length].join('\r\n')}\r\n\r\n`),
      Buffer.from(body),
    ]),
  );
  return next();
}
const JSON_HEAD = ['Content-Type: application/json'];
const shown = (body: Body): string => (body.kind === 'refused' ? `${body.status} ${body.code}` : body.kind);

test('a body is read as JSON, in one piece, in many, and in single bytes', async () => {
  using reader = new BodyReader(systemClock);
  const { open, next } = await listen(reader);
  const value = { id: 'ü', text: 'x'.repeat(300) };
  const bytes = Buffer.from(JSON.stringify(value));
  for (const size of [bytes.length, 100, 1]) {
    const socket = open();
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\ncontent-TYPE: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`);
    for (let at = 0; at < bytes.length; at += size) {
      const piece = bytes.subarray(at, at + size);
      socket.write(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]));
    }
    socket.write('0\r\n\r\n');
    expect(await next()).toEqual({ kind: 'message', value });
  }
});

test.each([
  ['application/json', 'message'],
  ['application/json; charset=utf-8', 'message'],
  ['Application/JSON;charset="UTF-8"', 'message'],
  ['application/json; charset=latin1', '415 -32600'],
  ['text/plain', '415 -32600'],
  ['application/json, text/plain', '415 -32600'],
  ['application/jsonx', '415 -32600'],
  ['application/x-www-form-urlencoded', '415 -32600'],
  ['', '415 -32600'],
])('a body of type %j gives %s', async (type, expected) => {
  expect(shown(await read([`Content-Type: ${type}`], '{}'))).toBe(expected);
});

test.each([
  ['an object', 'message', '{"a":1}'],
  ['an object after a byte order mark', 'message', '\uFEFF{}'],
  ['a text', 'message', '"text"'],
  ['nothing', '400 -32700', ''],
  ['half an object', '400 -32700', '{'],
  ['two objects', '400 -32700', '{}{}'],
  ['bytes that are no UTF-8', '400 -32700', Buffer.from([0x22, 0xff, 0x22])],
  ['a cut UTF-8 sequence', '400 -32700', Buffer.from([0xc3])],
  ['512 levels', 'message', '['.repeat(512) + ']'.repeat(512)],
  ['600 levels', '413 -32600', '['.repeat(600) + ']'.repeat(600)],
  ['a million levels', '413 -32600', '['.repeat(1_000_000)],
  ['199,000 values', 'message', `[${'1,'.repeat(199_000)}1]`],
  ['200,001 values', '413 -32600', `[${'1,'.repeat(200_001)}1]`],
  ['1,500,001 values', '413 -32600', `[${'1,'.repeat(1_500_000)}1]`],
  ['50,000 fields', 'message', `{${Array.from({ length: 50_000 }, (_, index) => `"k${index}":${index}`).join()}}`],
  [
    '50,000 fields without an end',
    '400 -32700',
    `{${Array.from({ length: 50_000 }, (_, index) => `"k${index}":${index}`).join()}`,
  ],
])('the body %s gives %s', async (_, expected, body) => expect(shown(await read(JSON_HEAD, body))).toBe(expected));

test('a body that is compressed, without a type or with another one beside it is not read', async () => {
  expect(shown(await read([...JSON_HEAD, 'Content-Encoding: gzip'], 'x'))).toBe('415 -32600');
  expect(shown(await read([...JSON_HEAD, 'Content-Encoding: identity', 'Content-Encoding: br'], 'x'))).toBe(
    '415 -32600',
  );
  expect(shown(await read([...JSON_HEAD, 'Content-Encoding: identity'], '{}'))).toBe('message');
  expect(shown(await read([], '{}'))).toBe('415 -32600');
  expect(shown(await read([...JSON_HEAD, 'Content-Type: text/plain'], '{}'))).toBe('415 -32600');
});

test('a body that is too large is refused before it is read, or once it is too large', async () => {
  using reader = new BodyReader(systemClock, { ...BODY_LIMITS, bytes: 1000 });
  const { open, next } = await listen(reader);
  open().write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1001\r\n\r\n');
  expect(await next()).toMatchObject({ status: 413, mustClose: true });
  const socket = open();
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n');
  for (let at = 0; at < 20; at++) socket.write(`64\r\n${' '.repeat(100)}\r\n`);
  expect(await next()).toMatchObject({ status: 413, mustClose: true });
});

test('a client that leaves in the middle of its body is seen', async () => {
  using reader = new BodyReader(systemClock);
  const { open, next, server } = await listen(reader);
  const came = once(server, 'request');
  const socket = open();
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{"a"');
  await came;
  socket.destroy();
  expect(await next()).toEqual({ kind: 'gone' });
});

test('a body that drips is refused when its time is over, and one timer looks after all of them', async () => {
  const clock = new FakeClock();
  using reader = new BodyReader(clock);
  const { open, next, server } = await listen(reader);
  const begin = async (): Promise<void> => {
    const came = once(server, 'request');
    open().write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{');
    await came;
  };
  await begin();
  await clock.pass(20_000);
  await begin();
  expect(clock.timers).toBe(1);
  await clock.pass(10_000);
  expect(await next()).toMatchObject({ status: 408, mustClose: true });
  expect(clock.timers).toBe(1);
  await clock.pass(20_000);
  expect(await next()).toMatchObject({ status: 408, mustClose: true });
  expect(clock.timers).toBe(0);
});

test('where too much is sent at once, who is slow with a large body makes room', async () => {
  using reader = new BodyReader(systemClock, { ...BODY_LIMITS, bytesOfAll: 3_000_000 });
  const { open, next } = await listen(reader);
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2000000\r\n\r\n';
  const small = open();
  small.write(`${head.replace('2000000', '2')}{`);
  const smallBody = next();
  // Each takes up to twice its bytes, and none of them ends.
  const refused: string[] = [];
  for (let at = 0; at < 5; at++) {
    open().write(`${head}${'x'.repeat(1_500_000)}`);
    void next().then((body) => refused.push(shown(body)));
  }
  await untilFound(() => refused[2]);
  expect(new Set(refused)).toEqual(new Set(['503 -32600']));
  small.write('}');
  expect(await smallBody).toEqual({ kind: 'message', value: {} });
});

test('when the listener is closed nothing is left to wait for', async () => {
  const clock = new FakeClock();
  const reader = new BodyReader(clock);
  const { open, next, server } = await listen(reader);
  const came = once(server, 'request');
  open().write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{');
  await came;
  reader[Symbol.dispose]();
  reader[Symbol.dispose]();
  expect([await next(), clock.timers]).toEqual([{ kind: 'gone' }, 0]);
});
