import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { type RawData, WebSocket } from 'ws';
import type { ServedMode } from '../loopback.js';
import type { WsMode } from '../mode.js';
import { findMode } from '../modes.js';
import { serveWs } from './serve-ws.js';

async function serve(name: string): Promise<ServedMode> {
  const served = await serveWs(findMode(name) as WsMode);
  onTestFinished(() => served[Symbol.asyncDispose]());
  return served;
}

async function open(name: string): Promise<{ socket: WebSocket; served: ServedMode }> {
  const served = await serve(name);
  const socket = new WebSocket(served.url, 'mcp');
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  return { socket, served };
}

function send(socket: WebSocket, message: object): void {
  socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
}

async function heard(socket: WebSocket): Promise<string> {
  const [data] = (await once(socket, 'message')) as [RawData];
  return (data as Buffer).toString('utf8');
}

const attack = { id: 1, method: 'tools/call', params: { name: 'attack', arguments: {} } };
const SURVIVED = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"survived"}]}}';

test('a good server confirms the subprotocol, answers messages, pings and the farewell, and counts them', async () => {
  const { socket, served } = await open('good-ws');
  expect(socket.protocol).toBe('mcp');
  send(socket, attack);
  expect(await heard(socket)).toBe(SURVIVED);
  socket.ping('still there?');
  const [pong] = (await once(socket, 'pong')) as [Buffer];
  expect(pong.toString()).toBe('still there?');
  socket.close(4000, 'enough');
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  expect([code, reason.toString()]).toEqual([4000, 'enough']);
  expect(served.counts()).toMatchObject({ 'tools/call attack': 1, 'frame ping': 1, 'frame close': 1 });
  expect(served.counts()).not.toHaveProperty('unmasked');
});

test('large messages and fragments of a host are understood', async () => {
  const { socket } = await open('good-ws');
  const text = 'é'.repeat(1_000_000);
  const message = JSON.stringify({
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text } },
  });
  socket.send(message.slice(0, 100), { fin: false });
  socket.send(message.slice(100));
  const { result } = JSON.parse(await heard(socket)) as { result: { content: [{ text: string }] } };
  expect(result.content[0].text).toBe(text);
});

test.each([
  ['ws-masked', /MASK must be clear/u],
  ['ws-reserved-2', /RSV2 and RSV3 must be clear/u],
  ['ws-opcode-3', /invalid opcode 3/u],
  ['ws-control-fragment', /FIN must be set/u],
  ['ws-control-long', /invalid payload length 126/u],
  ['ws-continuation-lonely', /invalid opcode 0/u],
  ['ws-start-inside', /invalid opcode 1/u],
  ['ws-length-2-62', /payload length > 2\^53 - 1/u],
  ['ws-close-999', /invalid status code 999/u],
])('%s is what it says, as a strict client sees it', async (name, text) => {
  const { socket } = await open(name);
  send(socket, attack);
  const [error] = (await once(socket, 'error')) as [Error];
  expect(error.message).toMatch(text);
});

test.each([
  ['ws-accept-wrong', /Invalid Sec-WebSocket-Accept/u],
  ['ws-protocol-other', /invalid subprotocol/iu],
  ['ws-extension', /extension/u],
  ['ws-status-403', /403/u],
])('%s opens no WebSocket', async (name, text) => {
  const served = await serve(name);
  const [error] = (await once(new WebSocket(served.url, 'mcp'), 'error')) as [Error];
  expect(error.message).toMatch(text);
});

test('legal fragments with pings between them are an answer to a strict client, too', async () => {
  const { socket } = await open('ws-fragments');
  send(socket, attack);
  expect(await heard(socket)).toBe(SURVIVED);
});
