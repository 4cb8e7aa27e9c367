import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { isObject, type JsonObject } from '../../../src/base/json.js';
import type { RequestId } from '../../../src/wire/message.js';
import type { ServedOverHttp } from './fixture-http.js';
import type { FixtureOptions } from './fixture-options.js';
import type { HttpStyle } from './http-answers.js';
import { listen, readJson } from './listening.js';
import { connectOldSdkServer } from './old-sdk-server.js';
import { connectSdkServer, toSdkServer, toShared } from './sdk-server.js';

type SessionTransport = Pick<NodeStreamableHTTPServerTransport, 'handleRequest'>;
type SessionOptions = NonNullable<ConstructorParameters<typeof NodeStreamableHTTPServerTransport>[0]>;
type OpenSession = (settings: SessionOptions, die: () => void) => Promise<SessionTransport>;

export function serveSdk(options: FixtureOptions, style: HttpStyle): Promise<ServedOverHttp> {
  if (options.speaks === 'modern') return serveModern(options, style);
  return serve(style, async (settings, die) => {
    const transport = new NodeStreamableHTTPServerTransport(settings);
    await connectSdkServer(transport, options, die);
    return transport;
  });
}

export function serveOldSdk(_: FixtureOptions, style: HttpStyle): Promise<ServedOverHttp> {
  return serve(style, async (settings, die) => {
    const transport = new StreamableHTTPServerTransport(settings as never);
    await connectOldSdkServer(transport, die);
    return transport;
  });
}

/** A server for each session, as the SDK's documentation shows. */
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

/** The modern era: a server for each request; the endpoint sends notifications of changes. */
async function serveModern(options: FixtureOptions, { answers }: HttpStyle): Promise<ServedOverHttp> {
  const served = await listen((request, response) => void take(request, response));
  const shared = toShared(() => served.breakOff());
  const announce = (method: string, params?: JsonObject): Promise<void> => Promise.resolve(publish(method, params));
  const handler = createMcpHandler(() => toSdkServer(options, { ...shared, announce }), {
    legacy: 'reject',
    responseMode: answers === 'json' ? 'json' : 'sse',
  });
  const publish = (method: string, params?: JsonObject): void => {
    if (method === 'notifications/tools/list_changed') handler.notify.toolsChanged();
    else if (method === 'notifications/resources/list_changed') handler.notify.resourcesChanged();
    else handler.notify.resourceUpdated(String(params?.['uri']));
  };
  const nodeHandler = toNodeHandler(handler);
  const handle = (...[request, response, body]: [IncomingMessage, ServerResponse, unknown?]): Promise<void> =>
    nodeHandler(request as never, response, body);
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return handle(request, response);
    const message = await readJson(request);
    shared.diary.take(message);
    response.once('close', () => {
      if (!response.writableFinished && isObject(message)) shared.diary.left(message['id'] as RequestId);
    });
    return handle(request, response, message);
  };
  return Object.assign(served, { sessions: new Map<string, unknown>() });
}

/** HTTP+SSE, which only the SDK's first generation serves. */
export async function serveOldSdkOverSse(): Promise<ServedOverHttp> {
  const sessions = new Map<string, SSEServerTransport>();
  const served = await listen((request, response) => void take(request, response), '/sse');
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { searchParams } = new URL(request.url ?? '', served.url);
    if (request.method === 'GET') {
      const transport = new SSEServerTransport('/messages', response);
      sessions.set(transport.sessionId, transport);
      response.once('close', () => sessions.delete(transport.sessionId));
      await connectOldSdkServer(transport, () => void response.destroy());
      return;
    }
    const transport = sessions.get(searchParams.get('sessionId') ?? '');
    if (transport) await transport.handlePostMessage(request, response);
    else response.writeHead(404).end();
  };
  return Object.assign(served, { sessions });
}
