// Streamable HTTP with sessions, from the server's side: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readJson } from '../faults/journal-listen.js';

/** An HTTP server under a test's control: it forgets, refuses, dies and comes back at the same address. */
export class SessionServer implements AsyncDisposable {
  /** The calls that the server ran, in order: tool and key. */
  readonly ran: string[] = [];
  handshakes = 0;
  deleted = 0;
  /** How many `tools/list` requests were answered. */
  listings = 0;
  /** Whether the server offers the GET stream. */
  hasStream = true;
  capabilities: object = { tools: { listChanged: true } };
  /** The response to send instead; undefined: the request is served normally. */
  refuse: ((method: string | undefined, params: { name?: string }) => Refusal | undefined) | undefined;
  /** Called after a tool has run and before its response is sent. False: no response is sent. */
  beforeAnswer: ((response: ServerResponse) => Promise<boolean> | boolean) | undefined;
  readonly #sessions = new Set<string>();
  readonly #streams = new Set<ServerResponse>();
  #server: Server | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  async listen(): Promise<this> {
    const server = createServer((request, response) => void this.#take(request, response));
    await new Promise<void>((resolve) => server.listen({ port: this.#port, host: '127.0.0.1' }, resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  /** Drops all sessions, as a restart behind a load balancer does. */
  forget(): void {
    this.#sessions.clear();
  }

  /** Sends a notification on every open stream. */
  say(method: string): void {
    for (const stream of this.#streams) stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method })}\n\n`);
  }

  endStreams(): void {
    for (const stream of this.#streams) stream.end();
  }

  async die(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.forget();
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.die();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const message = request.method === 'POST' ? ((await readJson(request)) as Message | undefined) : undefined;
    const refusal = this.refuse?.(message?.method ?? request.method, message?.params ?? {});
    if (refusal) return void response.writeHead(refusal.status, refusal.headers).end(refusal.body ?? '');
    const session = request.headers['mcp-session-id'];
    if (message?.method === 'initialize') {
      this.handshakes++;
      const id = randomUUID();
      this.#sessions.add(id);
      response.setHeader('mcp-session-id', id);
    } else if (message?.method !== 'server/discover' && !this.#sessions.has(String(session))) {
      return void response.writeHead(404).end('no such session');
    }
    if (request.method === 'DELETE') {
      this.deleted++;
      this.#sessions.delete(String(session));
      return void response.writeHead(200).end();
    }
    if (request.method === 'GET') return this.#stream(response);
    if (message?.id === undefined) return void response.writeHead(202).end();
    const { result, error } = this.#answer(message);
    if (message.method === 'tools/call' && (await this.beforeAnswer?.(response)) === false) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(error ? { error } : { result }) }));
  }

  #stream(response: ServerResponse): void {
    if (!this.hasStream) return void response.writeHead(405).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    this.#streams.add(response);
    response.once('close', () => this.#streams.delete(response));
  }

  #answer({ method, params }: Message): { result?: object; error?: object } {
    switch (method ?? '') {
      case 'initialize':
        return {
          result: {
            protocolVersion: '2025-11-25',
            capabilities: this.capabilities,
            serverInfo: { name: 'sessions', version: '1' },
          },
        };
      case 'ping':
        return { result: {} };
      case 'resources/list':
        return { result: { resources: [] } };
      case 'prompts/list':
        return { result: { prompts: [] } };
      case 'tools/list': {
        this.listings++;
        return {
          result: {
            tools: [tool('read', { readOnlyHint: true }), tool('put', { idempotentHint: true }), tool('append')],
          },
        };
      }
      case 'tools/call': {
        const text = `${params?.name} ${params?.arguments?.key ?? ''}`.trim();
        this.ran.push(text);
        return { result: { content: [{ type: 'text', text }] } };
      }
      default:
        return { error: { code: -32601, message: 'Method not found' } };
    }
  }
}

function tool(name: string, annotations = {}): object {
  return { name, inputSchema: { type: 'object' }, annotations };
}

export interface Refusal {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly key?: string } };
}
