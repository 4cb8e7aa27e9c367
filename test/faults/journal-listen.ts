import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Serving extends AsyncDisposable {
  readonly port: number;
  /** The `Last-Event-ID` of each resumed stream, in order. Only servers with resumable streams have it. */
  readonly resumed?: readonly string[];
  /** Resolves when a client has opened the GET stream for server messages and got 405. */
  readonly listened?: Promise<void>;
}

export async function listen(
  take: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Serving> {
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1' }, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The body of a request as JSON; undefined when the request was cut off on its way. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
    return JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    return undefined;
  }
}
