import type { JsonObject } from '../../base/json.js';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { HostError } from '../../base/errors.js';
import { systemClock } from '../../edge/clock.js';
import { type HttpPipeOptions, openHttpPipe } from './http-pipe.js';
import { openPeer, type PeerScene } from '../peer-fixtures.js';

/** A request as a test server received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The JSON of the body; `{}` when the body is empty. */
  readonly message: JsonObject;
  readonly socket: Socket;
}

export interface TestServer {
  readonly url: string;
  readonly visits: ReceivedRequest[];
  /** Resolves once `count` matching requests have arrived, with the last of them. */
  until(fits: (visit: ReceivedRequest) => boolean, count?: number): Promise<ReceivedRequest>;
}

/** An HTTP server that answers by `serve`; closed when the test ends. */
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

/** A server on a raw socket: answers every request with these exact bytes, then closes the connection. */
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

/** One SSE event with a message as its data. */
export function toSseEvent(message: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}`;
}

export function httpResult({ message }: ReceivedRequest, value: JsonObject = { ok: true }): JsonObject {
  return { jsonrpc: '2.0', id: message['id'], result: value };
}

/** The code of a promise's rejection; `fine` when it resolves. Attach it at once, to leave no rejection unhandled. */
export function rejectionCodeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'fine',
    (error: HostError) => error.code,
  );
}

/** A well-behaved server: has a session, returns each call's parameters as its result, has no GET stream. */
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
  /** Performs the handshake and sets the protocol version of the pipe. */
  shakeHands(): Promise<void>;
}

export function openClient(url: string, options: Partial<HttpPipeOptions> = {}): TestClient {
  return handshakeClient(openPeer(openHttpPipe({ name: 'x', url, clock: systemClock, ...options })), '2025-06-18');
}

/** Adds `shakeHands` to a client. */
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
