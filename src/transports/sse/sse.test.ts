import type { JsonObject } from '../../base/json.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { CallToolRequestSchema, ListRootsResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../base/secret.js';
import { systemClock } from '../../edge/clock.js';
import { ProcessRegistry } from '../../edge/processes/process-registry.js';
import { Peer, type PeerOptions } from '../../wire/peer.js';
import type { OpenContext, TransportKind } from '../kind.js';
import type { RemoteKindConfig } from '../remote.js';
import { openSseServer } from './sse-fixtures.js';
import { sse, sseIde } from './sse.js';

/** One config type for both: the kinds differ in their tools only. */
const kinds = [sse, sseIde] as readonly TransportKind<RemoteKindConfig<string>>[];

const context: OpenContext = {
  name: 'x',
  clock: systemClock,
  env: {},
  platform: process.platform,
  cwd: process.cwd(),
  processes: new ProcessRegistry(),
};

/** Opens a server of kind sse and performs the handshake of 2024-11-05. */
async function connect(url: string, options: Partial<PeerOptions> = {}): Promise<Peer> {
  const pipe = await sse.open({ type: 'sse', url, headers: {} }, context);
  const peer = new Peer(pipe, { name: 'x', clock: systemClock, ...options });
  onTestFinished(async () => peer[Symbol.asyncDispose]());
  const version = '2024-11-05';
  const capabilities = { roots: {} };
  const clientInfo = { name: 'test', version: '1' };
  const answer = await peer.request('initialize', { protocolVersion: version, capabilities, clientInfo });
  expect(answer['protocolVersion']).toBe(version);
  peer.adopt({ era: 'legacy', version });
  await peer.notify('notifications/initialized');
  return peer;
}

/** A server with the official SDK's SSE transport; `closed` lists the ids of closed sessions. */
async function openSdkServer(): Promise<{ readonly url: string; readonly closed: string[] }> {
  const closed: string[] = [];
  const transports = new Map<string, SSEServerTransport>();
  const listener = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://h.test');
    if (request.method === 'GET' && pathname === '/sse') {
      const transport = new SSEServerTransport('/message', response);
      transports.set(transport.sessionId, transport);
      const server = makeServer();
      Object.assign(server, { onclose: () => void closed.push(transport.sessionId) });
      void server.connect(transport);
      return;
    }
    const transport = transports.get(searchParams.get('sessionId') ?? '');
    if (transport) void transport.handlePostMessage(request, response);
    else response.writeHead(404).end('Session not found');
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => {
    listener.close();
    listener.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/sse`, closed };
}

function makeServer(): Server {
  const server = new Server({ name: 'sdk', version: '1' }, { capabilities: { tools: {}, logging: {} } });
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: input = {} } }) => {
    if (name === 'ask') {
      const { roots } = await server.request({ method: 'roots/list' }, ListRootsResultSchema);
      return { content: roots.map(({ uri }) => ({ type: 'text', text: uri })) };
    }
    await server.notification({ method: 'notifications/message', params: { level: 'info', data: 'hello' } });
    return { content: [{ type: 'text', text: String(input['text']) }] };
  });
  return server;
}

function textOf({ content }: JsonObject): string {
  return (content as { text: string }[])[0]!.text;
}

test('a server of the official SDK is called, tells and asks', async () => {
  const { url, closed } = await openSdkServer();
  const received: unknown[] = [];
  const peer = await connect(url, {
    onNotification: (method, params) => void received.push([method, params['data']]),
    handlers: { 'roots/list': () => ({ roots: [{ uri: 'file:///a' }] }) },
  });
  for (const text of ['a', 'grüße', 'x'.repeat(3_000_000)]) {
    const answer = await peer.request('tools/call', { name: 'echo', arguments: { text } });
    expect(textOf(answer) === text).toBe(true);
  }
  expect(received).toEqual(Array.from({ length: 3 }, () => ['notifications/message', 'hello']));
  expect(textOf(await peer.request('tools/call', { name: 'ask' }))).toBe('file:///a');
  const many = Array.from({ length: 200 }, (_, index) => String(index));
  const answers = many.map((text) => peer.request('tools/call', { name: 'echo', arguments: { text } }));
  expect((await Promise.all(answers)).map(textOf)).toEqual(many);
  await expect(peer.request('no/such', {})).rejects.toMatchObject({ code: 'server-error' });
  await peer[Symbol.asyncDispose]();
  while (closed.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toHaveLength(1);
});

test('a server of the official SDK refuses what is too large for it, and goes on', async () => {
  const { url } = await openSdkServer();
  const peer = await connect(url);
  const text = 'x'.repeat(5_000_000);
  await expect(peer.request('tools/call', { name: 'echo', arguments: { text } })).rejects.toMatchObject({
    code: 'http-failed',
    message: expect.stringMatching(/^Server "x" (?:answered HTTP 400|closed the connection)/u) as string,
  });
  expect(textOf(await peer.request('tools/call', { name: 'echo', arguments: { text: 'a' } }))).toBe('a');
});

test('the everything server is reached, lists its tools, counts its steps and says hello', async () => {
  const url = await startEverything();
  const peer = await connect(url);
  const { tools } = await peer.request('tools/list', {});
  expect((tools as { name: string }[]).map(({ name }) => name)).toContain('echo');
  expect(textOf(await peer.request('tools/call', { name: 'echo', arguments: { message: 'hi' } }))).toMatch(/hi/u);
  const steps: number[] = [];
  const operation = { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 4 } };
  await peer.request('tools/call', operation, { onProgress: ({ progress }) => void steps.push(progress) });
  expect(steps).toEqual([1, 2, 3, 4]);
});

async function startEverything(): Promise<string> {
  const port = await freePort();
  const file = new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url);
  const child = spawn(process.execPath, [file.pathname, 'sse'], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });
  await new Promise<void>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (piece: Buffer) => {
      said += piece.toString();
      if (said.includes(`running on port ${port}`)) resolve();
    });
    child.once('exit', () => reject(new Error(`It did not start: ${said}`)));
  });
  return `http://127.0.0.1:${port}/sse`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test.each(kinds)('an entry of type $type sends its headers, revealed', async (kind) => {
  const server = await openSseServer();
  const headers = { Authorization: new Secret('Bearer abc') };
  await using pipe = await kind.open({ type: kind.type, url: server.url, headers }, context);
  expect([server.visits[0]!.headers.authorization, pipe.hasHeaders]).toEqual(['Bearer abc', false]);
});

/** A resolver that knows one host. */
const lookup: NonNullable<OpenContext['lookup']> = (hostname, options, callback) => {
  const address = hostname === 'sse.test' ? '127.0.0.1' : '192.0.2.1';
  if (options.all === true) callback(null, [{ address, family: 4 }]);
  else callback(null, address, 4);
};

test('stream and messages take the way that the context knows', async () => {
  const server = await openSseServer();
  const { port } = new URL(server.url);
  const config = { type: 'sse', url: `http://sse.test:${port}/sse`, headers: {} } as const;
  await using pipe = await sse.open(config, { ...context, lookup });
  const peer = new Peer(pipe, { name: 'x', clock: systemClock });
  expect(await peer.request('tools/call', { a: 1 })).toEqual({ echo: { a: 1 } });
  expect(server.visits.map(({ headers }) => headers.host)).toEqual([`sse.test:${port}`, `sse.test:${port}`]);
});

test.each(kinds)('a server of type $type that wants a token is an error that says so', async (kind) => {
  const server = await openSseServer({ openStream: (_visit, response) => void response.writeHead(401).end() });
  await expect(kind.open({ type: kind.type, url: server.url, headers: {} }, context)).rejects.toMatchObject({
    code: 'unauthorized',
    hint: 'Check the token in the headers of its entry',
  });
});

test.each(kinds)('a headersHelper is refused by name for type $type', async (kind) => {
  const config = { type: kind.type, url: 'http://127.0.0.1:1/', headers: {}, headersHelper: 'x' };
  await expect(kind.open(config, context)).rejects.toMatchObject({ code: 'unsupported' });
});

test('an editor is asked for no more than the tools that are a model’s business', () => {
  expect([sse.onlyTools, sseIde.onlyTools]).toEqual([undefined, ['executeCode', 'getDiagnostics']]);
});
