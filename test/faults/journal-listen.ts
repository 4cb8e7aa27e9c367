import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that listens. */
export interface Serving extends AsyncDisposable {
  readonly port: number;
  /** Where streams were asked to go on, in order; for servers that have such. */
  readonly resumed?: readonly string[];
  /** Somebody has asked for a stream of what nobody asked for, and was told that there is none. */
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

/** What a request says; undefined when it was cut off on its way: then nobody asked for anything. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
    return JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    return undefined;
  }
}
