import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP server on loopback with a log of its requests. */
export interface Listening extends AsyncDisposable {
  readonly url: string;
  readonly log: readonly LoggedRequest[];
  /** Resolves when clients have opened a stream by GET this many times. */
  listened(times?: number): Promise<void>;
  /** Ends these streams normally. */
  endStreams(): void;
  /** Destroys every connection, as a crash does. */
  breakOff(): void;
}

export interface LoggedRequest {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
}

export async function listen(
  take: (request: IncomingMessage, response: ServerResponse) => void,
  path = '/mcp',
): Promise<Listening> {
  const log: LoggedRequest[] = [];
  const streams: ServerResponse[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    log.push({ method: request.method ?? '', headers: request.headers });
    take(request, response);
    if (request.method === 'GET') streams.push(response);
    for (const look of waiting) look();
  });
  const port = await bind(server);
  return {
    url: `http://127.0.0.1:${port}${path}`,
    log,
    listened: (times = 1) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (streams.length >= times) resolve();
        };
        waiting.add(look);
        look();
      }),
    endStreams: () => streams.forEach((stream) => stream.end()),
    breakOff: () => server.closeAllConnections(),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Listens on a free loopback port and returns the port. */
export async function bind(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, resolve));
  return (server.address() as AddressInfo).port;
}

const BACKLOG = 2_048; // a client may open a thousand connections at once, one for each call

export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
