// Streamable HTTP, from the server's side: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject, type JsonObject } from '../../../src/base/json.js';

/** One HTTP request. */
export interface Visit {
  readonly verb: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The JSON-RPC message in the body; empty when there is none. */
  readonly message: JsonObject;
  readonly response: ServerResponse;
  readonly server: RawHttpServer;
}

/** How a server deviates from the usual behaviour of `RawHttpServer`. */
export interface HttpHabit {
  /** Handles a request and returns true; returns false to leave the request to `usual`. */
  take?(visit: Visit): boolean;
  /** Sends a response in another way than as plain JSON. */
  send?(visit: Visit, message: JsonObject): void;
  /** The server has no sessions. */
  readonly isStateless?: boolean;
  /** The server speaks only 2026-07-28. */
  readonly isModern?: boolean;
  readonly revision?: string;
  /** The path of the endpoint; other paths are redirected to it with 307. */
  readonly path?: string;
}

/** An HTTP server without a library, as strict as the specification allows. */
export class RawHttpServer {
  url = '';
  /** The methods received, those for tools left out, and HTTP methods other than POST: `initialize`, `GET`. */
  readonly asked: string[] = [];
  /** The input of each call of its tool. */
  readonly echoed: unknown[] = [];
  readonly sessions = new Set<string>();
  readonly #habit: HttpHabit;
  #sessionCount = 0;

  constructor(habit: HttpHabit) {
    this.#habit = habit;
  }

  visit(visit: Visit): void {
    const { verb, message, response } = visit;
    const { path = visit.path } = this.#habit;
    if (visit.path !== path) {
      response.writeHead(307, { Location: path }).end();
      return;
    }
    const what = verb === 'POST' ? message['method'] : verb;
    if (typeof what === 'string' && !what.startsWith('tools/')) this.asked.push(what);
    if (this.#habit.take?.(visit) === true) return;
    this.usual(visit);
  }

  /** Handles a request as a server without habits does. */
  usual(visit: Visit): void {
    const { verb, headers, message, response } = visit;
    const isHandshake = message['method'] === 'initialize';
    const session = headers['mcp-session-id'];
    if (this.#habit.isModern) this.#usualModern(visit);
    else if (verb === 'GET') response.writeHead(405).end();
    else if (verb === 'DELETE') response.writeHead(200).end();
    else if (!isPolite(headers)) refuse(visit, { status: 406, code: -32_000, message: 'Not Acceptable' });
    else if (!this.#isKnown(session) && !isHandshake) {
      refuse(visit, { status: 400, code: -32_000, message: 'Bad Request: Server not initialized' });
    } else if (!isHandshake && headers['mcp-protocol-version'] !== this.revision) {
      refuse(visit, { status: 400, code: -32_000, message: 'Bad Request: Unsupported protocol version' });
    } else if (message['id'] === undefined || message['method'] === undefined) response.writeHead(202).end();
    else this.serve(visit);
  }

  get revision(): string {
    return this.#habit.revision ?? '2025-06-18';
  }

  /** Sends the response to a request. */
  serve(visit: Visit): void {
    const { message, response } = visit;
    if (message['method'] === 'initialize' && this.#habit.isStateless !== true) {
      const session = `session-${this.#sessionCount++}`;
      this.sessions.add(session);
      response.setHeader('Mcp-Session-Id', session);
    }
    const answer = { jsonrpc: '2.0', id: message['id'], ...this.outcome(message) };
    if (this.#habit.send) this.#habit.send(visit, answer);
    else sendJson(response, answer);
  }

  outcome({ method, params }: JsonObject): JsonObject {
    const given = isObject(params) && isObject(params['arguments']) ? params['arguments'] : {};
    switch (method) {
      case 'initialize':
        return { result: { protocolVersion: this.revision, ...SELF } };
      case 'tools/list':
        return { result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } };
      case 'tools/call':
        this.echoed.push(given['text']);
        return { result: { content: [{ type: 'text', text: given['text'] }] } };
      case 'server/discover':
        if (this.#habit.isModern === true) return { result: { supportedVersions: [NEW], ...SELF } };
        return UNKNOWN;
      default:
        return UNKNOWN;
    }
  }

  #isKnown(session: unknown): boolean {
    return this.#habit.isStateless === true || (typeof session === 'string' && this.sessions.has(session));
  }

  #usualModern(visit: Visit): void {
    const { verb, headers, message, response } = visit;
    const { method, params } = message;
    const name = method === 'tools/call' && isObject(params) ? params['name'] : undefined;
    if (verb !== 'POST') response.writeHead(405).end();
    else if (method === 'initialize') refuse(visit, { status: 404, code: -32_601, message: 'Method not found' });
    else if (headers['mcp-protocol-version'] !== NEW) {
      refuse(visit, { status: 400, code: -32_022, message: 'Unsupported', data: { supported: [NEW] } });
    } else if (headers['mcp-method'] !== method || headers['mcp-name'] !== name) {
      refuse(visit, { status: 400, code: -32_020, message: 'Header mismatch' });
    } else this.serve(visit);
  }
}

export const NEW = '2026-07-28';
const SELF = { capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1' } };
const UNKNOWN = { error: { code: -32_601, message: 'Method not found' } };

/** Whether a POST has the headers that the specification requires. */
function isPolite({ accept = '', 'content-type': type }: IncomingHttpHeaders): boolean {
  return accept.includes('application/json') && accept.includes('text/event-stream') && type === 'application/json';
}

export interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Sends an error of the HTTP layer, whose `id` is null. */
export function refuse({ response }: Visit, { status, ...error }: Refusal): void {
  sendJson(response, { jsonrpc: '2.0', id: null, error }, status);
}

export function sendJson(response: ServerResponse, message: unknown, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(message));
}

export function sendPage(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8' }).end('<html><h1>It works!</h1></html>');
}

/** Opens a server with this habit on loopback. */
export async function openRawHttpServer(habit: HttpHabit): Promise<RawHttpServer & AsyncDisposable> {
  const raw = new RawHttpServer(habit);
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { method: verb = '', url: path = '', headers } = request;
      const body = Buffer.concat(pieces).toString('utf8');
      const message = (body === '' ? {} : JSON.parse(body)) as JsonObject;
      raw.visit({ verb, path, headers, message, response, server: raw });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  raw.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return Object.assign(raw, {
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
