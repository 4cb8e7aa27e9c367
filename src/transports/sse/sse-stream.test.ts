import type { JsonObject } from '../../base/json.js';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { MemorySpill } from '../../../test/memory-spill.js';
import { Spilled } from '../../model/spilled.js';
import { rejectionCodeOf, httpResult, toSseEvent, type ReceivedRequest } from '../http/http-fixtures.js';
import {
  echo,
  echoOf,
  openStreamWith,
  isCall,
  openSseClient,
  openSseServer,
  type SseServer,
  untilClosed,
} from './sse-fixtures.js';
import { computedMs } from '../../../test/computed.js';
import { HeldClock } from '../../../test/held-clock.js';

const note = (name: string): string => toSseEvent({ jsonrpc: '2.0', method: `notifications/${name}` });

/** A server that answers the first call by `first`, and all others correctly. */
function openOnce(first: (visit: ReceivedRequest, server: SseServer) => void): Promise<SseServer> {
  let isFirst = true;
  return openSseServer({
    take(visit, response, server) {
      if (!isFirst || !isCall(visit)) return echo(visit, response, server);
      isFirst = false;
      response.writeHead(202).end();
      return first(visit, server);
    },
  });
}

/** The length does not depend on the id. */
const emptyAnswer = (id: unknown): string => `data: {"jsonrpc":"2.0","id":${String(id).padStart(10)},"result":{}}\n\n`;

type Cut = (stream: ServerResponse, said: string) => void;

test.each<[how: string, cut: Cut, isClean: boolean]>([
  ['ended', (stream, said) => void stream.end(said), true],
  ['cut', (stream, said) => void stream.write(said, () => stream.socket!.destroy()), false],
  ['ended within a chunk', (stream, said) => void stream.socket!.end(`ffff\r\n${said}`), true],
  ['reset', (stream, said) => void stream.write(said, () => stream.socket!.resetAndDestroy()), false],
])('a stream that is %s at any byte of an answer fails every call at once', async (_how, cut, isClean) => {
  const whole = emptyAnswer(1).length;
  const waiting = new Map<string, unknown>();
  const server = await openSseServer({
    openStream: (visit, response, opened) =>
      openStreamWith(() => `/${opened.streams.length - 1}`)(visit, response, opened),
    take({ path, message: { id, params } }, response, { streams }) {
      response.writeHead(202).end();
      if (!waiting.has(path)) return void waiting.set(path, id);
      // Both calls are in flight now.
      const { bytes } = params as { bytes: number };
      return cut(streams[Number(path.slice(1))]!, emptyAnswer(waiting.get(path)).slice(0, bytes));
    },
  });
  const check = async (bytes: number): Promise<void> => {
    // Timers of one second or more never fire here, so nothing can wait for them.
    const client = await openSseClient(server.url, { clock: new HeldClock(1_000) });
    const codes = await Promise.all([rejectionCodeOf(client.call({ bytes })), rejectionCodeOf(client.call({ bytes }))]);
    expect(await client.pipe.closed).toMatchObject({ kind: 'lost' });
    // A complete response counts.
    expect([bytes, ...codes.toSorted()]).toEqual([
      bytes,
      'connection-closed',
      bytes < whole ? 'connection-closed' : 'fine',
    ]);
  };
  // When the connection is destroyed, the last write may be lost.
  const last = isClean ? whole : whole - 1;
  for (let from = 0; from <= last; from += AT_ONCE) {
    const offsets = Array.from({ length: Math.min(AT_ONCE, last - from + 1) }, (_, index) => from + index);
    await Promise.all(offsets.map(check));
  }
});

const AT_ONCE = 10;

test('the end of the stream is told with its cause, and everything else ends with it', async () => {
  const server = await openSseServer({ take: () => {} });
  const client = await openSseClient(server.url);
  const failure = client.failure();
  const notice = rejectionCodeOf(client.peer.notify('notifications/x'));
  await server.until(({ method }) => method === 'POST', 2);
  server.streams[0]!.end();
  expect(await failure).toMatchObject({
    code: 'connection-closed',
    message: 'The connection to server "x" was lost before it answered tools/call: Server "x" ended its event stream',
  });
  expect(await notice).toBe('connection-closed');
  await expect(client.call()).rejects.toMatchObject({ code: 'connection-closed' });
  await Promise.all(server.visits.map(untilClosed));
});

test.each<[what: string, event: (visit: ReceivedRequest) => string, expected: object]>([
  [
    'no JSON, and has its id',
    ({ message }) => `data: {"jsonrpc":"2.0","id":${String(message['id'])},"result":`,
    { code: 'bad-answer' },
  ],
  [
    'nested too deep',
    ({ message }) =>
      `data: {"jsonrpc":"2.0","id":${String(message['id'])},"result":${'['.repeat(600)}${']'.repeat(600)}}`,
    { code: 'answer-too-large' },
  ],
  [
    'of 20 MB, its id first',
    ({ message }) =>
      `data: {"jsonrpc":"2.0","id":${String(message['id'])},"result":{"text":"${'x'.repeat(20_000_000)}"}}`,
    { code: 'answer-too-large', message: expect.stringMatching(/more than 16 MB/u) as string },
  ],
  [
    'of 20 MB, its id last',
    ({ message }) =>
      `data: {"result":{"text":"${'x'.repeat(20_000_000)}"},"id":${String(message['id'])},"jsonrpc":"2.0"}`,
    { code: 'answer-too-large' },
  ],
  [
    'of 150,000 lines',
    ({ message }) =>
      `data: {"jsonrpc":"2.0","id":${String(message['id'])},"result":{\n${'data: \n'.repeat(150_000)}data: }}`,
    { code: 'answer-too-large', message: expect.stringMatching(/its event has too many lines/u) as string },
  ],
])('an answer that is %s fails its call alone, and the stream goes on', async (_what, event, expected) => {
  const server = await openOnce((visit, { say }) => say(event(visit), note('behind')));
  const client = await openSseClient(server.url);
  const failure = client.failure();
  await server.until(isCall);
  const other = client.call({ a: 1 });
  expect(await failure).toMatchObject(expected);
  expect(await other).toEqual({ echo: { a: 1 } });
  expect(await client.call({ a: 2 })).toEqual({ echo: { a: 2 } });
  expect(client.notifications).toEqual(['notifications/behind']);
});

test('half an answer without an id belongs to the only call there is, as on any road that all share', async () => {
  const server = await openOnce((_visit, { say }) => say('data: {"jsonrpc":"2.0","result":{"a":'));
  const client = await openSseClient(server.url);
  expect(await client.failure()).toMatchObject({ code: 'bad-answer' });
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
});

test.each([
  ['no JSON', 'data: hello'],
  ['a note of 20 MB', `data: {"jsonrpc":"2.0","method":"x","params":{"text":"${'x'.repeat(20_000_000)}"}}`],
  ['20 MB under another name', `event: ping\ndata: {"result":{"text":"${'x'.repeat(20_000_000)}"}}`],
  ['150,000 lines of no JSON', 'data: x\n'.repeat(150_000).trimEnd()],
])('%s is no answer to the call that happens to wait', async (_what, event) => {
  const server = await openOnce((visit, { say }) => say(event, toSseEvent(echoOf(visit))));
  const client = await openSseClient(server.url);
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
});

test.each<[what: string, toText: (id: unknown, text: string) => string]>([
  [
    'first',
    (id, text) => `{"jsonrpc":"2.0","id":${String(id)},"result":{"content":[{"type":"text","text":"${text}"}]}}`,
  ],
  [
    'last',
    (id, text) => `{"result":{"content":[{"type":"text","text":"${text}"}]},"jsonrpc":"2.0","id":${String(id)}}`,
  ],
])('20 MB, the id %s, go to the place that the call has for them, and the stream goes on', async (_what, toText) => {
  const text = 'abcdefghij'.repeat(2_000_000);
  const server = await openOnce(({ message }, { say }) => say(`data: ${toText(message['id'], text)}`));
  const client = await openSseClient(server.url);
  const spill = new MemorySpill();
  const answer = client.call({}, { spill });
  await server.until(isCall);
  const other = client.call({ a: 1 });
  const [{ text: spilled }] = (await answer)['content'] as [{ text: Spilled }];
  expect(spilled).toBeInstanceOf(Spilled);
  expect(spill.textOf(spilled.place) === text).toBe(true);
  expect(await other).toEqual({ echo: { a: 1 } });
});

test('an answer of 10 MB arrives whole', async () => {
  const text = 'x'.repeat(10_000_000);
  const server = await openOnce((visit, { say }) => say(toSseEvent(httpResult(visit, { text }))));
  expect((await (await openSseClient(server.url)).call())['text'] === text).toBe(true);
});

test('300 MB in one event fail their call alone, in little memory', async () => {
  const filler = Buffer.alloc(1_000_000, 'x');
  const server = await openOnce(({ message }, { streams: [stream] }) => {
    let left = 300;
    stream!.write(`data: {"jsonrpc":"2.0","id":${String(message['id'])},"result":{"text":"`);
    const write = (): void => {
      while (left-- > 0) if (!stream!.write(filler)) return void stream!.once('drain', write);
      stream!.write('"}}\n\n');
    };
    write();
  });
  const client = await openSseClient(server.url);
  const before = process.memoryUsage().rss;
  expect(await client.failure()).toMatchObject({ code: 'answer-too-large' });
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
});

test('an event without end costs the connection, and not the program', async () => {
  const filler = Buffer.alloc(4_000_000, 'x');
  const server = await openOnce(({ message }, { streams: [stream] }) => {
    stream!.write(`data: {"jsonrpc":"2.0","id":${String(message['id'])},"result":{"text":"`);
    const write = (): void => {
      while (!stream!.destroyed) if (!stream!.write(filler)) return void stream!.once('drain', write);
    };
    write();
  });
  const client = await openSseClient(server.url);
  const before = process.memoryUsage().rss;
  expect(await client.failure()).toMatchObject({ code: 'answer-too-large' });
  expect(await client.pipe.closed).toMatchObject({
    kind: 'lost',
    error: { message: 'Server "x" sent an event of more than 512 MB' },
  });
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
});

/** Many notifications in one write, followed by the response. */
function flood(count: number, visit: ReceivedRequest): string[] {
  return [...Array.from({ length: count }, () => note('x')), toSseEvent(echoOf(visit))];
}

test('a flood of notes arrives in order, holds up nobody else, and the answer behind it is there', async () => {
  const server = await openOnce((visit, { say }) => say(...flood(20_000, visit)));
  const quiet = await openSseServer();
  const client = await openSseClient(server.url);
  const neighbour = await openSseClient(quiet.url);
  await neighbour.call();
  const state = { isOver: false, calls: 0, busiest: 0 };
  const call: Promise<JsonObject> = client.call({ a: 1 }).finally(() => (state.isOver = true));
  while (!state.isOver) {
    const started = computedMs();
    await neighbour.call();
    state.busiest = Math.max(state.busiest, computedMs() - started);
    state.calls++;
  }
  expect(await call).toEqual({ echo: { a: 1 } });
  expect(client.notifications).toHaveLength(20_000);
  expect(state.calls).toBeGreaterThan(10);
  expect(state.busiest).toBeLessThan(250);
});

test('a flood that is cut off behind its answer has been answered', async () => {
  const server = await openOnce((visit, { say, streams: [stream] }) => {
    say(...flood(2_000, visit));
    setImmediate(() => stream!.socket!.destroySoon());
  });
  expect(await (await openSseClient(server.url)).call({ a: 1 })).toEqual({ echo: { a: 1 } });
});

test('a closed pipe says no more of a flood it was in', async () => {
  const server = await openOnce((visit, { say }) => say(...flood(50_000, visit)));
  const client = await openSseClient(server.url);
  const call = rejectionCodeOf(client.call());
  while (client.notifications.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await client.peer[Symbol.asyncDispose]();
  const received = client.notifications.length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([received < 50_000, client.notifications.length]).toEqual([true, received]);
  expect(await call).toBe('connection-closed');
});

test('comments without end keep no call alive beyond its time', async () => {
  const server = await openSseServer({
    take(_visit, response, { streams: [stream] }) {
      response.writeHead(202).end();
      const write = (): void => {
        while (!stream!.destroyed)
          if (!stream!.write(': still here\n'.repeat(1_000))) return void stream!.once('drain', write);
      };
      write();
    },
  });
  const client = await openSseClient(server.url);
  expect(await rejectionCodeOf(client.call({}, { timeoutMs: 200 }))).toBe('call-timeout');
});
