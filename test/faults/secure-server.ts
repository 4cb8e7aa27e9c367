import type { JsonObject } from '../../src/base/json.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { behaveOverHttp, type ReceivedRequest } from '../../src/transports/http/http-fixtures.js';
import { echoOf, isRequestPost, startStream } from '../../src/transports/sse/sse-fixtures.js';
import { HOST, identity, listen, type Listening } from './network-fixtures.js';

/** A TLS server for every network transport: Streamable HTTP at `/mcp`, HTTP+SSE at `/sse`, WebSocket at `/ws`. */
export async function openSecureServer(options: TlsOptions = {}): Promise<Listening & { readonly host: string }> {
  const streams: ServerResponse[] = [];
  const server = createServer({ cert: identity.cert, key: identity.key, ...options }, (request, response) => {
    void readVisit(request).then((visit) => {
      if (visit.path === '/mcp') return behaveOverHttp(visit, response);
      if (visit.method === 'GET') {
        streams.push(startStream(response));
        return response.write('event: endpoint\ndata: /message\n\n');
      }
      response.writeHead(202).end();
      return isRequestPost(visit) && streams.at(-1)!.write(`data: ${JSON.stringify(echoOf(visit))}\n\n`);
    });
  });
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'mcp' });
  onTestFinished(() => sockets.close());
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('message', (text: Buffer) => {
        const message = JSON.parse(text.toString()) as JsonObject;
        opened.send(JSON.stringify({ jsonrpc: '2.0', id: message['id'], result: { echo: message['params'] } }));
      });
    });
  });
  const listening = await listen(server);
  return { ...listening, host: `${HOST}:${listening.port}` };
}

async function readVisit(request: IncomingMessage): Promise<ReceivedRequest> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  const { method = '', url = '', headers, socket } = request;
  const message = JSON.parse(Buffer.concat(pieces).toString() || '{}') as JsonObject;
  return { method, path: url, headers, message, socket };
}
