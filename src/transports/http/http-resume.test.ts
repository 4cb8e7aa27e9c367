import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { FakeClock, turn } from '../../../test/fake-clock.js';
import {
  behaveOverHttp,
  rejectionCodeOf,
  openClient,
  openServer,
  httpResult,
  startEvents,
  type TestServer,
  toSseEvent,
  type ReceivedRequest,
} from './http-fixtures.js';

/** An event without data that only sets the last event id. */
function place(id: string, retryMs?: number): string {
  return `${retryMs === undefined ? '' : `retry: ${retryMs}\n`}id: ${id}\ndata:`;
}

type Resume = (options: {
  readonly response: ServerResponse;
  readonly call: ReceivedRequest;
  readonly count: number;
}) => void;

/** A server whose response to a call breaks off after these events; `resume` answers every GET. */
function openFragile(events: readonly string[], resume: Resume): Promise<TestServer> {
  const calls: ReceivedRequest[] = [];
  let count = 0;
  return openServer((visit, response) => {
    if (visit.method === 'GET') resume({ response, call: calls[0]!, count: count++ });
    else if (visit.message['method'] === 'tools/call') {
      calls.push(visit);
      startEvents(response, ...events).end();
    } else behaveOverHttp(visit, response);
  });
}

async function untilTimer(clock: FakeClock): Promise<void> {
  while (clock.timers === 0) await turn();
}

/** The client's delay before each GET, measured on the fake clock. */
async function waits(server: TestServer, clock: FakeClock, call: Promise<string>): Promise<number[]> {
  const found: number[] = [];
  const progress = { isOver: false };
  void call.then(() => (progress.isOver = true));
  const isIdle = (): boolean => !progress.isOver && clock.timers === 0;
  while (isIdle()) await turn();
  while (!progress.isOver) {
    const before = clock.monotonic();
    const seen = server.visits.length;
    while (server.visits.length === seen && clock.timers > 0) await clock.pass(50);
    found.push(clock.monotonic() - before);
    while (isIdle()) await turn();
  }
  return found;
}

test('an answer is picked up where its stream broke off, after the time that the server asked for', async () => {
  const server = await openFragile([place('a-1', 500)], ({ response, call }) => {
    startEvents(response, toSseEvent(httpResult(call), 'a-2')).end();
  });
  const clock = new FakeClock();
  const client = openClient(server.url, { clock });
  await client.shakeHands();
  const before = server.visits.length;
  const answer = client.call();
  await untilTimer(clock);
  await clock.pass(499);
  expect(server.visits).toHaveLength(before + 1);
  await clock.pass(1);
  expect(await answer).toEqual({ ok: true });
  expect(server.visits.at(-1)).toMatchObject({
    method: 'GET',
    headers: { accept: 'text/event-stream', 'last-event-id': 'a-1', 'mcp-session-id': 'session-1' },
  });
  expect(server.visits.filter(({ message }) => message['method'] === 'tools/call')).toHaveLength(1);
});

test('a stream that gets ahead is resumed as often as it takes', async () => {
  const server = await openFragile([place('0', 100)], ({ response, call, count }) => {
    startEvents(response, count < 12 ? place(`${count + 1}`) : toSseEvent(httpResult(call))).end();
  });
  const clock = new FakeClock();
  const call = rejectionCodeOf(openClient(server.url, { clock }).call());
  await waits(server, clock, call);
  expect(await call).toBe('fine');
  expect(server.visits.slice(1).map(({ headers }) => headers['last-event-id'])).toEqual(
    Array.from({ length: 13 }, (_, index) => `${index}`),
  );
});

test('a stream that never gets ahead is given up after five more tries, each later than the one before', async () => {
  const server = await openFragile([place('a')], ({ response }) => void startEvents(response).end());
  const clock = new FakeClock();
  const call = rejectionCodeOf(openClient(server.url, { clock }).call());
  const found = await waits(server, clock, call);
  expect(await call).toBe('http-failed');
  expect(found.map((ms) => Math.round(ms / 1000))).toEqual([1, 2, 4, 8, 16, 30]);
});

test.each<[what: string, resume: Resume, tries: number]>([
  ['says no', ({ response }) => response.writeHead(405).end(), 1],
  ['has forgotten the session', ({ response }) => response.writeHead(404).end(), 1],
  ['answers with something else', ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end(), 1],
  ['is down', ({ response }) => response.writeHead(502).end(), 6],
  ['hangs up', ({ response }) => void response.socket!.destroy(), 6],
])(
  'a call whose stream cannot be resumed because the server %s fails, and is never sent again',
  async (_what, resume, tries) => {
    const server = await openFragile([place('a', 100)], resume);
    const clock = new FakeClock();
    const client = openClient(server.url, { clock });
    await client.shakeHands();
    const call = rejectionCodeOf(client.call());
    await waits(server, clock, call);
    expect(await call).toBe('http-failed');
    expect(server.visits.filter(({ method }) => method === 'GET')).toHaveLength(tries);
    expect(server.visits.filter(({ message }) => message['method'] === 'tools/call')).toHaveLength(1);
    expect(clock.timers).toBe(0);
  },
);

test('a stream without ids cannot be resumed, so its call fails at once', async () => {
  const server = await openFragile(['retry: 10\ndata:'], ({ response }) => response.end());
  const clock = new FakeClock();
  expect(await rejectionCodeOf(openClient(server.url, { clock }).call())).toBe('http-failed');
  expect([server.visits.length, clock.timers]).toEqual([1, 0]);
});

test('an id can smuggle nothing into the request that resumes', async () => {
  const evil = [
    'id: good\r\ndata:',
    'id: a\rX-Evil: 1\ndata:',
    'id: b\0c\ndata:',
    'id: d\u001be\ndata:',
    `id: ${'f'.repeat(9_999)}\ndata:`,
  ];
  const server = await openFragile(
    evil,
    ({ response, call }) => void startEvents(response, toSseEvent(httpResult(call))).end(),
  );
  const clock = new FakeClock();
  const call = rejectionCodeOf(openClient(server.url, { clock }).call());
  await waits(server, clock, call);
  expect(await call).toBe('fine');
  expect(server.visits[1]!.headers).toMatchObject({ 'last-event-id': 'a' });
  expect(server.visits[1]!.headers).not.toHaveProperty('x-evil');
});

test('a server that says "retry: 0" is asked ten times a second at most', async () => {
  const server = await openFragile([place('0', 0)], ({ response, call, count }) => {
    startEvents(response, count < 3 ? place(`${count + 1}`, 0) : toSseEvent(httpResult(call))).end();
  });
  const clock = new FakeClock();
  const call = rejectionCodeOf(openClient(server.url, { clock }).call());
  expect(await waits(server, clock, call)).toEqual([100, 100, 100, 100]);
});

test('a call that is abandoned while it waits to be resumed asks no more', async () => {
  const server = await openFragile([place('a')], ({ response }) => response.end());
  const clock = new FakeClock();
  const client = openClient(server.url, { clock });
  const controller = new AbortController();
  const call = rejectionCodeOf(client.call({}, { signal: controller.signal }));
  await untilTimer(clock);
  controller.abort();
  expect(await call).toBe('cancelled');
  expect(clock.timers).toBe(0);
});
