import { connect } from 'node:net';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import type { HttpMode } from '../mode.js';
import { findMode } from '../modes.js';
import type { ServedMode } from '../loopback.js';
import { serveHttp } from './serve-http.js';

async function serve(name: string): Promise<ServedMode> {
  const served = await serveHttp(findMode(name) as HttpMode);
  onTestFinished(() => served[Symbol.asyncDispose]());
  return served;
}

interface Said {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

async function post(url: string, message: object, headers: Record<string, string> = {}): Promise<Said> {
  const reply = await request(url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', ...message }), headers });
  return { status: reply.statusCode, headers: reply.headers, text: await reply.body.text() };
}

const call = (id: number, name: string, input: object = {}): object => ({
  id,
  method: 'tools/call',
  params: { name, arguments: input },
});

test('a good server opens a session, answers with JSON, accepts notes and counts what it was sent', async () => {
  const { url, log, counts } = await serve('good-http-json');
  const first = await post(url, { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } });
  expect([first.status, first.headers['content-type']]).toEqual([200, 'application/json']);
  const session = { 'mcp-session-id': first.headers['mcp-session-id'] as string };
  expect((await post(url, { method: 'notifications/initialized' }, session)).status).toBe(202);
  expect(JSON.parse((await post(url, call(2, 'echo', { text: 'hé' }), session)).text).result.content[0].text).toBe(
    'hé',
  );
  expect((await request(url)).statusCode).toBe(405);
  expect((await request(url, { method: 'DELETE' })).statusCode).toBe(200);
  const seen = { initialize: 1, 'notifications/initialized': 1, 'tools/call echo': 1, GET: 1, DELETE: 1, strayed: 0 };
  expect(counts()).toMatchObject(seen);
  expect(counts()).not.toHaveProperty('without session');
  expect(log.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST', 'GET', 'DELETE']);
});

test('a good server of events answers in an event', async () => {
  const { url } = await serve('good-http-sse');
  const { headers, text } = await post(url, call(1, 'attack'));
  expect(headers['content-type']).toBe('text/event-stream');
  expect(text).toBe('data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"survived"}]}}\n\n');
});

test('whoever follows a redirect to another origin is counted, and so is the token', async () => {
  const { url, counts } = await serve('redirect-cross-307');
  const { status, headers } = await post(url, call(1, 'attack'));
  expect([status, counts()['strayed']]).toEqual([307, 0]);
  await post(String(headers['location']), call(1, 'attack'), { authorization: 'Bearer x' });
  expect(counts()).toMatchObject({ strayed: 1, 'strayed with a token': 1 });
});

test('a session that is forgotten once is known again afterwards', async () => {
  const { url } = await serve('status-404-session');
  expect((await post(url, call(1, 'attack'))).status).toBe(404);
  expect((await post(url, call(2, 'attack'))).status).toBe(200);
});

test('an endless body stops when nobody reads any more', async () => {
  const served = await serve('header-endless');
  const socket = connect(Number(new URL(served.url).port), '127.0.0.1');
  const body = JSON.stringify({ jsonrpc: '2.0', ...call(1, 'attack') });
  socket.write(`POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  let bytes = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > 50_000_000) break;
  }
  socket.destroy();
  await served[Symbol.asyncDispose]();
  expect(served.counts()['connections']).toBe(1);
});

test('requests in chunks and several on one connection are understood', async () => {
  const { url } = await serve('good-http-json');
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const body = JSON.stringify({ jsonrpc: '2.0', ...call(1, 'echo', { text: 'in chunks' }) });
  const head = 'POST /mcp HTTP/1.1\r\nHost: x\r\n';
  const half = `${(10).toString(16)}\r\n${body.slice(0, 10)}\r\n${(body.length - 10).toString(16)}\r\n`;
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${half}`);
  socket.write(`${body.slice(10)}\r\n0\r\n\r\n${head}Content-Length: 2\r\n\r\n{}`);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  while (!text.includes('202 Accepted')) await new Promise(setImmediate);
  expect(text).toMatch(/^HTTP\/1.1 200 OK[^]*in chunks[^]*HTTP\/1.1 202 Accepted/u);
});
