// HTTP+SSE of 2024: https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ConnectionClient } from '../connection-client.js';
import type { ModernServices } from '../modern/modern-request.js';
import type { McpExchange } from './mcp-exchange.js';
import type { OpenResponse, OpenStreams } from './open-streams.js';
import type { BodyReader } from './read-body.js';
import { answerWithError, refuseRequest } from './refuse-request.js';
import { SseWriter } from './sse-writer.js';

export interface SseRouteOptions {
  readonly bodies: BodyReader;
  readonly streams: OpenStreams;
  readonly services: ModernServices;
}

/** Serves clients of 2024: everything to the client goes over one event stream, everything from it is posted. */
export class SseRoute {
  readonly #options: SseRouteOptions;
  readonly #connections = new Map<string, SseConnection>();

  constructor(options: SseRouteOptions) {
    this.#options = options;
  }

  /** GET: a new connection; its first event says where messages are posted. */
  open(exchange: McpExchange): void {
    const { request, response, endpoint, principal, path, cors } = exchange;
    if (request.method !== 'GET')
      return refuseRequest(response, 405, 'HTTP+SSE begins with GET', ['Allow', 'GET', ...cors]);
    if (this.#connections.size >= CONNECTION_LIMIT) return refuseRequest(response, 503, 'Too many connections', cors);
    const { services, streams } = this.#options;
    const id = randomUUID();
    const { unreadMs } = streams;
    const writer = new SseWriter(response, { headers: cors, unreadMs, unsentLimit: UNSENT_LIMIT });
    const out = {
      write: (text: string) => writer.event(undefined, text),
      inform: (text: string) => {
        writer.event(undefined, text);
        return writer.isOpen;
      },
    };
    const client = new ConnectionClient({ endpoint, principal, services, path, out });
    const connection: SseConnection = {
      client,
      principal,
      isStream: true,
      isStanding: true,
      startStream: () => {},
      keepAlive: () => writer.comment(),
      end: () => writer.end(),
    };
    this.#connections.set(id, connection);
    const place = streams.began(connection);
    response.on('close', () => {
      this.#connections.delete(id);
      place[Symbol.dispose]();
      client.end();
    });
    writer.named('endpoint', `${MESSAGES_PATH}?session=${id}`);
    return undefined;
  }

  /** POST: a message of a connection. */
  take({ request, response, principal, cors }: Omit<McpExchange, 'endpoint'>, session: string | null): void {
    if (request.method !== 'POST')
      return refuseRequest(response, 405, 'Messages are posted', ['Allow', 'POST', ...cors]);
    const connection = this.#connections.get(session ?? '');
    if (!connection || connection.principal !== principal)
      return refuseRequest(response, 404, 'Session not found', cors);
    return void this.#read(request, response, cors).then((value) => {
      if (value !== undefined) connection.client.takeValue(value.message);
      return undefined;
    });
  }

  /** Ends all connections. */
  end(): void {
    for (const connection of this.#connections.values()) connection.end();
  }

  /** Undefined: it was refused. */
  async #read(
    request: McpExchange['request'],
    response: ServerResponse,
    cors: readonly string[],
  ): Promise<{ readonly message: unknown } | undefined> {
    const body = await this.#options.bodies.read(request);
    if (body.kind === 'gone' || response.destroyed) return undefined;
    if (body.kind === 'refused') {
      answerWithError(response, body.status, body, body.mustClose ? ['Connection', 'close', ...cors] : cors);
      return undefined;
    }
    response.writeHead(202, ['Content-Type', 'text/plain', ...cors]).end('Accepted');
    return { message: body.value };
  }
}

interface SseConnection extends OpenResponse {
  readonly client: ConnectionClient;
  readonly principal: string;
  end(): void;
}

export const SSE_PATH = '/sse';
export const MESSAGES_PATH = '/messages';
const CONNECTION_LIMIT = 10_000;
/** All responses go over the one stream, and none can be asked for again. */
const UNSENT_LIMIT = 16_000_000; // bytes
