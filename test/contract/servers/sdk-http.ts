import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { FixtureOptions } from './fixture.js';
import type { HttpStyle, ServedOverHttp } from './fixture-http.js';
import { listen } from './listening.js';
import { connectOldSdkServer } from './old-sdk-server.js';
import { connectSdkServer } from './sdk-server.js';

type SessionTransport = Pick<NodeStreamableHTTPServerTransport, 'handleRequest'>;
type SessionOptions = NonNullable<ConstructorParameters<typeof NodeStreamableHTTPServerTransport>[0]>;
type OpenSession = (settings: SessionOptions, die: () => void) => Promise<SessionTransport>;

export function serveSdk(options: FixtureOptions, style: HttpStyle): Promise<ServedOverHttp> {
  return serve(style, async (settings, die) => {
    const transport = new NodeStreamableHTTPServerTransport(settings);
    await connectSdkServer(transport, options, die);
    return transport;
  });
}

export function serveOldSdk(options: FixtureOptions, style: HttpStyle): Promise<ServedOverHttp> {
  return serve(style, async (settings, die) => {
    const transport = new StreamableHTTPServerTransport(settings as never);
    await connectOldSdkServer(transport, options, die);
    return transport;
  });
}

/** A server of its own for each session, as the SDK's documentation shows it. */
async function serve({ answers }: HttpStyle, open: OpenSession): Promise<ServedOverHttp> {
  const sessions = new Map<string, SessionTransport>();
  const served = await listen((request, response) => void take(request, response));
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known) return known.handleRequest(request, response);
    if (id !== undefined) {
      response.writeHead(404).end();
      return undefined;
    }
    const transport: SessionTransport = await open(
      {
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => void sessions.set(session, transport),
        onsessionclosed: (session) => void sessions.delete(session),
        enableJsonResponse: answers === 'json',
      },
      () => served.breakOff(),
    );
    return transport.handleRequest(request, response);
  };
  return Object.assign(served, { sessions });
}
