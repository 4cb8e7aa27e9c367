import type { JsonObject } from '../../src/base/json.js';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { callTool } from '../../src/connection/requests/call-tool.js';
import type { Connection } from '../../src/connection/connect.js';
import type { Caller } from '../../src/model/caller.js';
import {
  openServer,
  httpResult,
  sendJson,
  startEvents,
  type TestServer,
  toSseEvent,
} from '../../src/transports/http/http-fixtures.js';
import { initialized, meetOverHttp, saying, textOf } from './stand-in.js';
import { acceptedBy, testCaller } from './test-caller.js';

const capabilities = { elicitation: {}, roots: {} };

/** The open response stream of one call. */
interface Stream {
  send(message: object): void;
  ask(id: string): void;
  /** Responds to the call and leaves the stream open. */
  answer(text: string): void;
  end(): void;
}

interface AskingServer extends TestServer {
  /** Resolves when a call of this tool has arrived. */
  stream(tool: string): Promise<Stream>;
  /** The stream for messages that belong to no request. */
  own(): Promise<Stream>;
  /** The host's response to the request with this id. */
  told(id: string): Promise<unknown>;
}

/** A server of 2025-11-25 that responds to calls with streams, on which it sends requests when a test says so. */
async function openAsking(): Promise<AskingServer> {
  const streams = new Map<string, Stream>();
  const server = await openServer((visit, response) => {
    const { method, message } = visit;
    const { method: asked, params, id } = message;
    if (method === 'GET') streams.set('GET', toStream(startEvents(response), undefined));
    else if (method === 'DELETE') response.writeHead(200).end();
    else if (asked === 'server/discover')
      sendJson(response, { jsonrpc: '2.0', id, error: { code: -32601, message: '' } });
    else if (asked === 'initialize') sendJson(response, httpResult(visit, initialized));
    else if (asked === 'tools/call')
      streams.set(String((params as JsonObject)['name']), toStream(startEvents(response), id));
    else response.writeHead(202).end();
  });
  const until = async (name: string, fits: Parameters<TestServer['until']>[0]): Promise<Stream> => {
    await server.until(fits);
    return streams.get(name)!;
  };
  return {
    ...server,
    stream: (tool) => until(tool, ({ message: { params } }) => (params as JsonObject | undefined)?.['name'] === tool),
    own: () => until('GET', ({ method }) => method === 'GET'),
    told: async (id) => {
      const { message } = await server.until(({ message: { id: answered, method } }) => answered === id && !method);
      return message['result'] ?? message['error'];
    },
  };
}

function toStream(response: ServerResponse, request: unknown): Stream {
  const send = (message: object): void => void response.write(`${toSseEvent({ jsonrpc: '2.0', ...message })}\n\n`);
  return {
    send,
    ask: (id) => send({ id, method: 'elicitation/create', params: { message: 'Who?' } }),
    answer: (text) => send({ id: request, result: saying(text) }),
    end: () => void response.end(),
  };
}

async function call(connection: Connection, tool: string, owner: Caller): Promise<string> {
  return textOf(await callTool(connection, { tool, input: {} }, { timeoutMs: 20_000, owner }));
}

test('over HTTP a question goes to the caller on whose stream it comes, however many there are', async () => {
  const server = await openAsking();
  const callers = Array.from({ length: 6 }, (_, index) => testCaller(`caller-${index}`));
  await using connection = await meetOverHttp(server.url, { capabilities });
  const calls = callers.map((caller) => call(connection, caller.principal, caller));
  const streams = await Promise.all(callers.map(({ principal }) => server.stream(principal)));
  for (const [index, stream] of streams.entries()) stream.ask(`q${index}`);
  for (const [index, stream] of streams.entries()) {
    expect(await server.told(`q${index}`)).toEqual(acceptedBy(callers[index]!));
    stream.answer(String(index));
    stream.end();
  }
  expect(await Promise.all(calls)).toEqual(callers.map((_, index) => String(index)));
  expect(callers.map(({ asked }) => asked.length)).toEqual(callers.map(() => 1));
});

test('over HTTP what comes on no call’s stream is for the one caller in flight, or refused', async () => {
  const server = await openAsking();
  const [ann, ben] = [testCaller('ann'), testCaller('ben')];
  await using connection = await meetOverHttp(server.url, { capabilities, opener: ann });
  const first = call(connection, 'first', ben);
  const stream = await server.stream('first');
  const own = await server.own();
  own.ask('q1');
  expect(await server.told('q1')).toEqual(acceptedBy(ben));
  const second = call(connection, 'second', ann);
  const other = await server.stream('second');
  own.ask('q2');
  expect(await server.told('q2')).toMatchObject({ code: -32000, message: /several callers/u });
  for (const one of [stream, other]) {
    one.answer('done');
    one.end();
  }
  expect(await Promise.all([first, second])).toEqual(['done', 'done']);
});

test('over HTTP a question on the stream of a call that has its answer is nobody else’s', async () => {
  const server = await openAsking();
  const [ann, ben] = [testCaller('ann'), testCaller('ben')];
  await using connection = await meetOverHttp(server.url, { capabilities });
  const waiting = call(connection, 'waiting', ben);
  const stream = await server.stream('waiting');
  const first = call(connection, 'first', ann);
  const late = await server.stream('first');
  late.answer('done');
  late.ask('q1');
  expect(await first).toBe('done');
  expect(await server.told('q1')).toMatchObject({ code: -32000, message: /has ended/u });
  late.end();
  stream.answer('waited');
  stream.end();
  expect([await waiting, ann.asked, ben.asked]).toEqual(['waited', [], []]);
});

test('over HTTP log messages go to the caller on whose stream they come', async () => {
  const server = await openAsking();
  const callers = [testCaller('ann'), testCaller('ben')];
  const received: unknown[] = [];
  await using connection = await meetOverHttp(server.url, {
    capabilities,
    onNotification: (_, { data }) => void received.push(data),
  });
  const calls = callers.map((caller) => call(connection, caller.principal, caller));
  for (const { principal } of callers) {
    const stream = await server.stream(principal);
    stream.send({ method: 'notifications/message', params: { level: 'info', data: principal } });
    stream.answer('done');
    stream.end();
  }
  await Promise.all(calls);
  expect(callers.map(({ logs }) => logs)).toEqual(
    callers.map(({ principal }) => [{ server: 'x', level: 'info', data: principal }]),
  );
  expect(new Set(received)).toEqual(new Set(['ann', 'ben']));
});
