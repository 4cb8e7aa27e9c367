import { connect } from 'node:net';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import type { ServedMode } from '../loopback.js';
import type { SseMode } from '../mode.js';
import { findMode } from '../modes.js';
import { serveSse } from './serve-sse.js';

interface Scene extends ServedMode {
  /** The next event of the stream, as it came; undefined at its end. */
  readonly event: () => Promise<string | undefined>;
  /** Posts a message to the address that the first event named; resolves with the status. */
  readonly post: (place: string, message: object) => Promise<number>;
}

async function open(name: string): Promise<Scene> {
  const served = await serveSse(findMode(name) as SseMode);
  onTestFinished(() => served[Symbol.asyncDispose]());
  const { body, headers } = await request(served.url);
  expect(headers['content-type']).toBe('text/event-stream');
  body.on('error', () => {}); // some modes cut the stream
  const chunks = body.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>;
  let text = '';
  const event: Scene['event'] = async () => {
    while (!text.includes('\n\n')) {
      const { value, done } = await chunks.next();
      if (done === true) return undefined;
      text += value;
    }
    const [first = ''] = text.split('\n\n', 1);
    text = text.slice(first.length + 2);
    return first;
  };
  const post: Scene['post'] = async (place, message) => {
    const sent = JSON.stringify({ jsonrpc: '2.0', ...message });
    const reply = await request(new URL(place, served.url), { method: 'POST', body: sent });
    await reply.body.dump();
    return reply.statusCode;
  };
  return { ...served, event, post };
}

const call = (id: number, name: string): object => ({ id, method: 'tools/call', params: { name, arguments: {} } });
const PLACE = '/messages?stream=0';

test('a good server names a place for messages, takes them with 202 and answers on its stream', async () => {
  const { event, post, counts } = await open('good-sse');
  expect(await event()).toBe(`event: endpoint\ndata: ${PLACE}`);
  expect(await post(PLACE, call(1, 'attack'))).toBe(202);
  expect(await event()).toBe('data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"survived"}]}}');
  expect(await post('/messages?stream=7', call(2, 'attack'))).toBe(404);
  expect(counts()).toMatchObject({ GET: 1, 'tools/call attack': 2, strayed: 0 });
});

test('whoever sends messages to the other origin that was named is counted', async () => {
  const { event, post, counts } = await open('sse-legacy-endpoint-cross');
  const place = (await event())!.replace('event: endpoint\ndata: ', '');
  expect(place).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/elsewhere$/u);
  await post(place, call(1, 'attack'));
  expect(counts()['strayed']).toBe(1);
});

test('a message of `attack` may be taken badly while all others are taken well', async () => {
  const { event, post } = await open('sse-legacy-post-404');
  await event();
  expect(await post(PLACE, call(1, 'attack'))).toBe(404);
  expect(await post(PLACE, { id: 2, method: 'ping' })).toBe(202);
  expect(await event()).toBe('data: {"jsonrpc":"2.0","id":2,"result":{}}');
});

test('a stream that is cut ends in the middle of an event', async () => {
  const { event, post } = await open('sse-legacy-stream-cut');
  await event();
  await post(PLACE, call(1, 'attack'));
  await expect(event()).rejects.toThrow(/terminated|closed|aborted/iu);
});

test('an endless flood stops when nobody reads any more', async () => {
  const served = await serveSse(findMode('sse-legacy-endpoint-flood') as SseMode);
  const socket = connect(Number(new URL(served.url).port), '127.0.0.1');
  socket.write('GET /sse HTTP/1.1\r\nHost: x\r\n\r\n');
  let bytes = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > 20_000_000) break;
  }
  socket.destroy();
  await served[Symbol.asyncDispose]();
  expect(served.counts()['connections']).toBe(1);
});
