import type { ServerResponse } from 'node:http';
import { createGzip, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Spilled, type SpillPart, type SpillStore } from '../../model/spilled.js';
import {
  openClient,
  openServer,
  httpResult,
  type TestServer,
  toSseEvent,
  startEvents,
  type ReceivedRequest,
} from './http-fixtures.js';
import { computedMs } from '../../../test/computed.js';

const MEGABYTE = 1_000_000;
const filler = Buffer.alloc(MEGABYTE, 'x');

/** A server whose response holds a text of `megabytes` MB. `written`: how many it wrote until the client closed. */
function openGenerous(
  megabytes: number,
  form: Form,
): Promise<TestServer & { readonly written: { megabytes: number } }> {
  const written = { megabytes: 0 };
  const opened = openServer((visit, response) => {
    const [before, after] = JSON.stringify(httpResult(visit, { content: [{ type: 'text', text: '|' }] })).split('|');
    const sink = form.start(response);
    sink.write(form.wrap(before!));
    const write = (): void => {
      while (written.megabytes < megabytes && !response.destroyed) {
        written.megabytes++;
        if (!sink.write(filler)) return void sink.once('drain', write);
      }
      sink.end(`${after!}${form.end}`);
    };
    write();
  });
  return opened.then((server) => ({ ...server, written }));
}

interface Form {
  readonly start: (response: ServerResponse) => NodeJS.WritableStream;
  readonly wrap: (text: string) => string;
  readonly end: string;
}
const json: Form = {
  start: (response) => response.writeHead(200, { 'content-type': 'application/json' }),
  wrap: (text) => text,
  end: '',
};
const events: Form = {
  start: (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }),
  wrap: (text) => `data: ${text}`,
  end: '\n\n',
};
const packed: Form = {
  ...json,
  start(response) {
    const gzip = createGzip();
    gzip.pipe(response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }));
    response.on('close', () => gzip.destroy());
    return gzip;
  },
};

// Compressed, all 300 MB fit into the buffers between server and client.
test.each<[what: string, form: Form, mostWritten: number]>([
  ['JSON', json, 100],
  ['one event', events, 100],
  ['gzip', packed, 300],
])(
  '300 MB as %s fail their call alone, long before they are read, in little memory',
  async (_what, form, mostWritten) => {
    const server = await openGenerous(300, form);
    const client = openClient(server.url);
    const before = process.memoryUsage().rss;
    const error = await client.failure();
    expect([error.code, error.message]).toEqual(['answer-too-large', expect.stringMatching(/more than 16 MB/u)]);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MEGABYTE);
    expect(server.written.megabytes).toBeLessThanOrEqual(mostWritten);
  },
);

test('300 KB that unpack to 300 MB are given up while they unpack', async () => {
  const bomb = gzipSync(Buffer.alloc(300 * MEGABYTE));
  const server = await openServer((_visit, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb);
  });
  const before = process.memoryUsage().rss;
  expect((await openClient(server.url).failure()).code).toBe('answer-too-large');
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * MEGABYTE);
});

/** Counts the spilled bytes, and applies backpressure every now and then. */
function countingStore(spilled: { bytes: number; waits: number }): SpillStore {
  const part: SpillPart = {
    write(bytes) {
      spilled.bytes += bytes.length;
      if (spilled.bytes % 5 !== 0) return undefined;
      spilled.waits++;
      return new Promise((resolve) => void setImmediate(resolve));
    },
    end: () => Promise.resolve('/there'),
    discard: () => Promise.resolve(),
  };
  return { open: () => part };
}

test.each<[what: string, form: Form]>([
  ['JSON', json],
  ['one event', events],
])('200 MB as %s go to the place that the call has for them', async (_what, form) => {
  const server = await openGenerous(200, form);
  const spilled = { bytes: 0, waits: 0 };
  const before = process.memoryUsage().rss;
  const answer = await openClient(server.url).call({}, { spill: countingStore(spilled) });
  expect((answer['content'] as { text: unknown }[])[0]!.text).toBeInstanceOf(Spilled);
  expect(spilled.bytes).toBe(200 * MEGABYTE);
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * MEGABYTE);
});

test('an answer of 10 MB arrives whole', async () => {
  const server = await openGenerous(10, events);
  const answer = await openClient(server.url).call();
  expect((answer['content'] as { text: string }[])[0]!.text).toHaveLength(10 * MEGABYTE);
});

/** Many notifications in one write, followed by the response. */
function flood(count: number, visit: ReceivedRequest): string[] {
  const note = toSseEvent({ jsonrpc: '2.0', method: 'notifications/x' });
  return [...Array.from({ length: count }, () => note), toSseEvent(httpResult(visit))];
}

test('a flood of notes arrives in order, holds up nobody else, and the answer behind it is there', async () => {
  const server = await openServer((visit, response) => void startEvents(response, ...flood(20_000, visit)).end());
  const quiet = await openServer((visit, response) => void startEvents(response, toSseEvent(httpResult(visit))).end());
  const client = openClient(server.url);
  const neighbour = openClient(quiet.url);
  await neighbour.call();
  const state = { isOver: false, calls: 0, busiest: 0 };
  const call = client.call().finally(() => (state.isOver = true));
  while (!state.isOver) {
    const started = computedMs();
    await neighbour.call();
    state.busiest = Math.max(state.busiest, computedMs() - started);
    state.calls++;
  }
  expect(await call).toEqual({ ok: true });
  expect(client.notifications).toHaveLength(20_000);
  expect(state.calls).toBeGreaterThan(10);
  expect(state.busiest).toBeLessThan(250);
});

test('a flood that is cut off behind its answer has been answered', async () => {
  const server = await openServer((visit, response) => {
    startEvents(response, ...flood(2_000, visit));
    setImmediate(() => response.socket!.destroySoon());
  });
  expect(await openClient(server.url).call()).toEqual({ ok: true });
});

test('a closed pipe says no more of a flood it was in', async () => {
  const server = await openServer((visit, response) => void startEvents(response, ...flood(50_000, visit)));
  const client = openClient(server.url);
  const call = client.call().catch((error: Error) => error);
  while (client.notifications.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await client.peer[Symbol.asyncDispose]();
  const received = client.notifications.length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([received < 50_000, client.notifications.length]).toEqual([true, received]);
  expect(await call).toMatchObject({ code: 'connection-closed' });
});

test.each<[what: string, type: string, piece: string, text: RegExp]>([
  ['chunks', 'application/json', '1\r\n \r\n', /in the middle of its answer/u],
  ['data lines', 'text/event-stream', '8\r\ndata: x\n\r\n', /its event has too many lines/u],
])('five million %s of next to nothing cost next to no memory', async (_what, type, piece, text) => {
  const server = await openServer((_visit, response) => {
    const socket = response.socket!;
    socket.write(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    let left = 50;
    const write = (): void => {
      if (left-- === 0) socket.end();
      else socket.write(piece.repeat(100_000), write);
    };
    write();
  });
  const before = process.memoryUsage().rss;
  expect((await openClient(server.url).failure()).message).toMatch(text);
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * MEGABYTE);
});
