import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { buildServer } from './server.mjs';

/** Serves one era at any path of a port of loopback, and returns the port. */
export async function serveOverHttp(world, port) {
  const take = world.era === 'modern' ? modernEndpoint(world) : legacyEndpoint(world);
  const http = createServer((request, response) => {
    if (isForeign(request)) response.writeHead(403).end();
    else void take(request, response);
  });
  http.listen(port, '127.0.0.1');
  await once(http, 'listening');
  return http.address().port;
}

/** A page in a browser could reach the port by a name of its own (DNS rebinding). */
function isForeign({ headers }) {
  return !isLocal(`http://${headers.host}`) || (headers.origin !== undefined && !isLocal(headers.origin));
}

function isLocal(url) {
  return URL.canParse(url) && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);
}

function modernEndpoint(world) {
  const handler = createMcpHandler(() => buildServer(world), { legacy: 'reject' });
  world.notify = handler.notify;
  return toNodeHandler(handler);
}

function legacyEndpoint(world) {
  const sessions = new Map();
  return async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const known = sessions.get(id);
    if (known) return known.handleRequest(request, response);
    if (id !== undefined) return response.writeHead(404).end();
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new Events(),
      retryInterval: 1_000,
      onsessioninitialized: (session) => void sessions.set(session, transport),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    await buildServer(world, transport).connect(transport);
    return transport.handleRequest(request, response);
  };
}

/** What has been sent on the streams of one session, for a client that comes back. */
class Events {
  #events = [];

  async storeEvent(stream, message) {
    const id = `${stream}/${this.#events.length}`;
    this.#events.push({ id, stream, message });
    if (this.#events.length > EVENT_LIMIT) this.#events[this.#events.length - EVENT_LIMIT - 1] = undefined;
    return id;
  }

  async replayEventsAfter(last, { send }) {
    const at = this.#events.findIndex((event) => event?.id === last);
    const stream = this.#events[at]?.stream ?? last;
    for (const event of this.#events.slice(at + 1)) {
      // The priming event has no message.
      if (event?.stream === stream && Object.keys(event.message).length > 0) await send(event.id, event.message);
    }
    return stream;
  }
}

const EVENT_LIMIT = 1_000;
