import type { ServerResponse } from 'node:http';
import { systemClock } from '../../edge/clock.js';
import {
  handshakeClient,
  openServer,
  httpResult,
  type TestClient,
  type TestServer,
  toSseEvent,
  type ReceivedRequest,
} from '../http/http-fixtures.js';
import { openPeer } from '../peer-fixtures.js';
import { openSsePipe, type SsePipeOptions } from './sse-pipe.js';

export interface SseServer extends TestServer {
  readonly origin: string;
  /** The open streams, newest last. */
  readonly streams: ServerResponse[];
  /** Writes events to the newest stream. */
  readonly say: (...events: readonly string[]) => void;
}

/** How an HTTP+SSE server behaves; what is left out is correct behaviour. */
export interface SseHabit {
  /** The data of its endpoint event. */
  readonly endpoint?: (origin: string) => string;
  /** Answers the GET of the stream. */
  readonly openStream?: (visit: ReceivedRequest, response: ServerResponse, server: SseServer) => void;
  /** Answers the POSTs to the endpoint. */
  readonly take?: (visit: ReceivedRequest, response: ServerResponse, server: SseServer) => void;
}

export async function openSseServer(habit: SseHabit = {}): Promise<SseServer> {
  const { endpoint = () => '/message?sessionId=7', openStream = openStreamWith(endpoint), take = echo } = habit;
  const streams: ServerResponse[] = [];
  const server = await openServer((visit, response) => {
    if (visit.method === 'GET') {
      streams.push(response);
      openStream(visit, response, opened);
    } else take(visit, response, opened);
  });
  const { origin } = new URL(server.url);
  const say = (...events: readonly string[]): void => {
    streams.at(-1)!.write(events.map((event) => `${event}\n\n`).join(''));
  };
  const opened: SseServer = { ...server, url: `${origin}/sse`, origin, streams, say };
  return opened;
}

export function openStreamWith(endpoint: (origin: string) => string): NonNullable<SseHabit['openStream']> {
  return (_visit, response, { origin }) => {
    startStream(response).write(`event: endpoint\ndata: ${endpoint(origin)}\n\n`);
  };
}

export function startStream(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }).flushHeaders();
  return response;
}

/** Accepts every message, and answers each request with its own parameters. */
export function echo(visit: ReceivedRequest, response: ServerResponse, server: SseServer): void {
  response.writeHead(202).end('Accepted');
  if (isRequestPost(visit)) server.say(toSseEvent(echoOf(visit)));
}

export function isRequestPost({ message }: ReceivedRequest): boolean {
  return message['id'] !== undefined && message['method'] !== undefined;
}

export function isCall({ message }: ReceivedRequest): boolean {
  return message['method'] === 'tools/call';
}

export function echoOf(visit: ReceivedRequest): object {
  return httpResult(visit, { echo: visit.message['params'] });
}

/** The POSTs in the order of their arrival. */
export function posts({ visits }: TestServer): ReceivedRequest[] {
  return visits.filter(({ method }) => method === 'POST');
}

/** Resolves when the client has closed the connection. */
export async function untilClosed({ socket }: ReceivedRequest): Promise<void> {
  if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
}

export async function openSseClient(url: string, options: Partial<SsePipeOptions> = {}): Promise<TestClient> {
  const pipe = await openSsePipe({ name: 'x', url, clock: systemClock, ...options });
  return handshakeClient(openPeer(pipe, options.clock), '2024-11-05');
}
