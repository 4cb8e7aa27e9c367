import type { JsonObject } from '../../base/json.js';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { HostError } from '../../base/errors.js';
import { systemClock } from '../../edge/clock.js';
import { type HttpPipeOptions, openHttpPipe } from './http-pipe.js';
import { openPeer, type PeerScene } from '../peer-fixtures.js';

/** A request as a little server of a test got it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The JSON in its body; empty when there is none. */
  readonly message: JsonObject;
  readonly socket: Socket;
}

export interface TestServer {
  readonly url: string;
  readonly visits: ReceivedRequest[];
  /** Resolves when so many requests that fit have come, with the last of them. */
  until(fits: (visit: ReceivedRequest) => boolean, count?: number): Promise<ReceivedRequest>;
}

/** A server that reads HTTP and answers as it is told; gone when the test is. */
export async function openServer(
  serve: (visit: ReceivedRequest, response: ServerResponse) => void,
): Promise<TestServer> {
  const visits: ReceivedRequest[] = [];
  const waiting = new Set<() => void>();
  const server = createHttpServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString();
      const { method = '', url = '', headers, socket } = request;
      const message = (body === '' ? {} : JSON.parse(body)) as JsonObject;
      const visit: ReceivedRequest = { method, path: url, headers, message, socket };
      visits.push(visit);
      serve(visit, response);
      for (const look of waiting) look();
    });
  });
  const until = (fits: (visit: ReceivedRequest) => boolean, count = 1): Promise<ReceivedRequest> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = visits.filter(fits);
        if (found.length < count) return;
        waiting.delete(look);
        resolve(found[count - 1]!);
      };
      waiting.add(look);
      look();
    });
  return { url: `${await listen(server)}/mcp`, visits, until };
}

/** A server on a bare socket: what it is told to send it sends to every request, byte for byte, and then it hangs up. */
export async function openRawServer(reply: (count: number) => string | Buffer): Promise<string> {
  let count = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(reply(count++)));
  });
  return `${await listen(server)}/mcp`;
}

async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function sendJson(response: ServerResponse, message: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(message));
}

export function startEvents(response: ServerResponse, ...events: readonly string[]): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(events.map((event) => `${event}\n\n`).join(''));
  return response;
}

/** One event with a message in it. */
export function toSseEvent(message: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}`;
}

export function httpResult({ message }: ReceivedRequest, value: JsonObject = { ok: true }): JsonObject {
  return { jsonrpc: '2.0', id: message['id'], result: value };
}

/** The code that a promise is rejected with; `fine` when it is not. Asked at once, so that no rejection goes unheard. */
export function rejectionCodeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'fine',
    (error: HostError) => error.code,
  );
}

/** What a well-behaved server answers: a session, results that repeat the parameters, and no stream of its own. */
export function behaveOverHttp(visit: ReceivedRequest, response: ServerResponse): void {
  const { method, message } = visit;
  if (method === 'GET') response.writeHead(405).end();
  else if (method === 'DELETE') response.writeHead(200).end();
  else if (message['method'] === 'initialize') {
    response.setHeader('mcp-session-id', 'session-1');
    sendJson(response, httpResult(visit));
  } else if (message['id'] === undefined || message['method'] === undefined) response.writeHead(202).end();
  else sendJson(response, httpResult(visit, { echo: message['params'] }));
}

export interface TestClient extends PeerScene {
  /** The handshake, as far as HTTP knows of it. */
  shakeHands(): Promise<void>;
}

export function openClient(url: string, options: Partial<HttpPipeOptions> = {}): TestClient {
  return handshakeClient(openPeer(openHttpPipe({ name: 'x', url, clock: systemClock, ...options })), '2025-06-18');
}

/** The same client, who can also shake hands. */
export function handshakeClient(scene: PeerScene, version: string): TestClient {
  const { peer, pipe } = scene;
  return {
    ...scene,
    async shakeHands() {
      await peer.request('initialize', {});
      pipe.adopt({ era: 'legacy', version });
      await peer.notify('notifications/initialized');
    },
  };
}
