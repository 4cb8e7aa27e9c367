// HTTP+SSE, from the server's side: https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServedOverHttp } from './fixture-http.js';
import { Fixture } from './fixture.js';
import type { FixtureOptions } from './fixture-options.js';
import { writeEvent } from './http-answers.js';
import { listen, readJson } from './listening.js';

/** The fixture behind an SSE stream for its messages and an endpoint for the client's. */
export async function serveFixtureOverSse(options: FixtureOptions): Promise<ServedOverHttp> {
  const sessions = new Map<string, Fixture>();
  const served = await listen((request, response) => void take(request, response), '/sse');
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', served.url);
    if (request.method === 'GET' && pathname === '/sse') {
      const id = randomUUID();
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: /messages?sessionId=${id}\n\n`);
      const line = {
        send: (message: unknown): void => writeEvent(response, message),
        die: (): void => void response.destroy(),
      };
      sessions.set(id, new Fixture(line, options));
      response.once('close', () => sessions.delete(id));
      return;
    }
    const fixture = sessions.get(searchParams.get('sessionId') ?? '');
    if (request.method !== 'POST' || pathname !== '/messages' || !fixture) {
      response.writeHead(404).end();
      return;
    }
    const message = await readJson(request);
    response.writeHead(202).end('Accepted');
    fixture.take(message);
  };
  return Object.assign(served, { sessions });
}
