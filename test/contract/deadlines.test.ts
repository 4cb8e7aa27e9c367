import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { isObject } from '../../src/base/json.js';
import type { EmbeddedServer } from '../../src/transports/kind.js';
import { type Address, type CallOptions, type ContractClient, isFailure } from './clients/contract-client.js';
import { ourClient } from './clients/our-client.js';
import { serverInfo } from './servers/tools.js';
import { embedInProgram } from './servers/embedding.js';
import { listen, readJson } from './servers/listening.js';

const DEADLINE = 300;
const TOO_LONG = 300_000; // a guard against hanging

/** The HTTP requests that a server accepts and never responds to. */
type Deaf = (method: string, message: unknown) => boolean;

const deafTo: Readonly<Record<string, Deaf>> = {
  'the question for its era': (_, message) => methodOf(message) === 'server/discover',
  'the handshake': (_, message) => methodOf(message) === 'initialize',
  'the end of the handshake': (_, message) => methodOf(message) === 'notifications/initialized',
};

test.each(Object.entries(deafTo))('a server over HTTP that is deaf to %s is given up in time', async (_, deaf) => {
  await using http = await listen((request, response) => void answer(request, response, deaf));
  await check({ kind: 'http', url: http.url });
});

test('a server over HTTP+SSE that never says where to send messages is given up in time', async () => {
  await using http = await listen((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
  });
  await check({ kind: 'sse', url: http.url });
});

test('a server that never opens its WebSocket is given up in time', async () => {
  await using http = await listen(() => {});
  await check({ kind: 'ws', url: http.url.replace('http:', 'ws:') });
});

test('a program around the host that never answers is given up in time', async () => {
  await using embedding = embedInProgram(() => () => {});
  await check({ kind: 'sdk', control: embedding.control });
});

test('a server in this program that never gets ready is given up in time', async () => {
  await check({ kind: 'in-process', server: { connect: () => new Promise(() => {}) } });
});

test.each<[string, EmbeddedServer['connect']]>([
  ['rejects', () => Promise.reject(new Error('no licence'))],
  [
    'throws',
    () => {
      throw new Error('no licence');
    },
  ],
])('a server in this program that %s when it is to get ready could not be started', async (_, connect) => {
  const opened = await ourClient.connect(
    { kind: 'in-process', server: { connect } },
    { era: 'auto', timeoutMs: TOO_LONG },
  );
  expect(opened).toEqual({ error: 'start-failed' });
});

test('a server over HTTP that is deaf to the stream and to the farewell keeps nobody', async () => {
  await using http = await listen((request, response) => void answer(request, response, (method) => method !== 'POST'));
  const opened = await ourClient.connect({ kind: 'http', url: http.url }, { era: 'auto', timeoutMs: TOO_LONG });
  expect(await inTime((opened as ContractClient).close().then(() => 'closed'))).toBe('closed');
});

test.each<[string, () => CallOptions, string]>([
  ['its deadline', () => ({ timeoutMs: DEADLINE }), 'timeout'],
  ['its signal', () => ({ signal: AbortSignal.timeout(DEADLINE) }), 'cancelled'],
])('a call whose session is lost, and cannot be opened again, ends by %s', async (_, options, error) => {
  let handshakes = 0;
  const isSecondHandshake: Deaf = (_method, message) => methodOf(message) === 'initialize' && handshakes++ > 0;
  await using http = await listen((request, response) => void answer(request, response, isSecondHandshake));
  const opened = await ourClient.connect({ kind: 'http', url: http.url }, { era: 'auto', timeoutMs: 2 * TOO_LONG });
  const call = (opened as ContractClient).call('echo', {}, options());
  expect(await inTime(call)).toEqual({ error });
  await (opened as ContractClient).close();
});

/** Expects connecting to fail by its own timeout. */
async function check(address: Address): Promise<void> {
  const opened = await inTime(ourClient.connect(address, { era: 'auto', timeoutMs: DEADLINE }));
  expect(typeof opened === 'object' && isFailure(opened) ? opened.error : opened).toBe('timeout');
}

function inTime<Result>(result: Promise<Result>): Promise<Result | 'still waiting'> {
  return Promise.race([
    result,
    new Promise<'still waiting'>((resolve) => setTimeout(resolve, TOO_LONG, 'still waiting').unref()),
  ]);
}

async function answer(request: IncomingMessage, response: ServerResponse, deaf: Deaf): Promise<void> {
  const { method = '' } = request;
  const message = method === 'POST' ? await readJson(request) : undefined;
  if (deaf(method, message)) return;
  if (!isObject(message) || message['id'] === undefined) {
    response.writeHead(202).end();
    return;
  }
  if (methodOf(message) === 'tools/call') {
    response.writeHead(404).end();
    return;
  }
  const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo };
  response.writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': 'one' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message['id'], result }));
}

function methodOf(message: unknown): unknown {
  return isObject(message) ? message['method'] : undefined;
}
