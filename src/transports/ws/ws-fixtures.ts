import type { JsonObject } from '../../base/json.js';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { systemClock } from '../../edge/clock.js';
import { directRoute } from '../../edge/network/route.js';
import type { CloseReason, Pipe } from '../../wire/pipe.js';
import { openPeer, type PeerScene } from '../peer-fixtures.js';
import { openWsPipe, type WsPipeOptions } from './ws-pipe.js';

export interface WsTestServer {
  readonly url: string;
  readonly visits: IncomingMessage[];
  readonly clients: WebSocket[];
  /** The close code and reason of the first closed connection, as the server received them. */
  readonly left: Promise<{ readonly code: number; readonly reason: string }>;
}

/** A server of the package `ws` that answers by `serve`; closed when the test ends. */
export async function openWsServer(
  serve: (message: JsonObject, client: WebSocket) => void = behaveOverWs,
  { protocols = ['mcp'] }: { readonly protocols?: readonly string[] } = {},
): Promise<WsTestServer> {
  const visits: IncomingMessage[] = [];
  const clients: WebSocket[] = [];
  const http = createHttpServer((_request, response) => response.writeHead(426).end());
  const chosen = (offered: Set<string>): string | false => protocols.find((one) => offered.has(one)) ?? false;
  const server = new WebSocketServer({ server: http, handleProtocols: chosen, maxPayload: 1_000_000_000 });
  const left = new Promise<{ code: number; reason: string }>((resolve) => {
    server.on('connection', (client, visit) => {
      visits.push(visit);
      clients.push(client);
      client.on('error', () => {});
      client.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
      client.on('message', (data: Buffer) => serve(JSON.parse(data.toString()) as JsonObject, client));
    });
  });
  return { url: `ws://${await listen(http)}/mcp`, visits, clients, left };
}

/** A server on a raw socket that accepts every WebSocket and then runs `connected`. */
export async function openRawWsServer(
  connected: (socket: Socket) => void,
  received: (bytes: Buffer, socket: Socket) => void = () => {},
): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (request: Buffer) => {
      const key = /^Sec-WebSocket-Key: (.+)\r$/mu.exec(request.toString())![1]!;
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      const head = ['HTTP/1.1 101 x', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Protocol: mcp'];
      socket.write([...head, `Sec-WebSocket-Accept: ${accept}`, '\r\n'].join('\r\n'));
      socket.on('data', (bytes: Buffer) => received(bytes, socket));
      connected(socket);
    });
  });
  return `ws://${await listen(server)}/mcp`;
}

/** Returns host and port, such as `127.0.0.1:1234`. */
export async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function send(client: WebSocket, message: unknown): void {
  client.send(JSON.stringify(message));
}

export function wsResult({ id }: JsonObject, value: JsonObject = { ok: true }): JsonObject {
  return { jsonrpc: '2.0', id, result: value };
}

/** A well-behaved server: returns each request's parameters as its result. */
export function behaveOverWs(message: JsonObject, client: WebSocket): void {
  if (message['id'] !== undefined && message['method'] !== undefined) {
    send(client, wsResult(message, { echo: message['params'] }));
  }
}

export interface WsTestClient extends PeerScene {
  /** Why the connection was closed. */
  lost(): Promise<string>;
}

export function openPipe(url: string, options: Partial<WsPipeOptions> = {}): Promise<Pipe> {
  return openWsPipe({ name: 'x', url, headers: {}, clock: systemClock, route: directRoute('Server "x"'), ...options });
}

export async function openWsClient(url: string, options: Partial<WsPipeOptions> = {}): Promise<WsTestClient> {
  const scene = openPeer(await openPipe(url, options), options.clock);
  return { ...scene, lost: async () => textOf(await scene.pipe.closed) };
}

function textOf(reason: CloseReason): string {
  return reason.kind === 'lost' ? reason.error.message : reason.kind;
}
