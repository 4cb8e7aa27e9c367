// WebSocket as MCP servers use it: the subprotocol `mcp`, one message in each text frame.
import { createServer } from 'node:http';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { Fixture } from './fixture.js';
import type { FixtureOptions } from './fixture-options.js';
import { bind } from './listening.js';

export interface ServedOverWs extends AsyncDisposable {
  readonly url: string;
}

/** Hands each new socket to `take`. */
export async function serveSockets(take: (socket: WebSocket) => void): Promise<ServedOverWs> {
  const http = createServer();
  const sockets = new WebSocketServer({
    server: http,
    maxPayload: 0,
    handleProtocols: (protocols) => protocols.has('mcp') && 'mcp',
  });
  sockets.on('connection', take);
  const port = await bind(http);
  return {
    url: `ws://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        for (const socket of sockets.clients) socket.terminate();
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

export function serveFixtureOverWs(options: FixtureOptions): Promise<ServedOverWs> {
  return serveSockets((socket) => {
    const line = {
      send: (message: unknown): void => socket.send(JSON.stringify(message)),
      die: (): void => socket.terminate(),
    };
    const fixture = new Fixture(line, options);
    socket.on('message', (data: RawData) => fixture.take(JSON.parse((data as Buffer).toString('utf8'))));
  });
}
