// Streamable HTTP without sessions: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SessionServer } from '../host/session-server.js';
import { readJson } from './journal-listen.js';

/** What a test controls of an HTTP server of either era. */
export type FatefulServer = Pick<
  SessionServer,
  'ran' | 'url' | 'refuse' | 'beforeAnswer' | 'handshakes' | 'hasStream' | 'forget' | 'die'
> & { listen(): Promise<unknown> };

/** A `SessionServer` for protocol version 2026-07-28, which has no sessions to forget. */
export class ModernServer implements FatefulServer {
  readonly ran: string[] = [];
  handshakes = 0;
  /** Whether the server offers a subscription stream. */
  hasStream = false;
  readonly #streams = new Set<ServerResponse>();
  refuse: SessionServer['refuse'];
  beforeAnswer: SessionServer['beforeAnswer'];
  #server: Server | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  async listen(): Promise<void> {
    const server = createServer((request, response) => void this.#take(request, response));
    await new Promise<void>((resolve) => server.listen({ port: this.#port, host: '127.0.0.1' }, resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  forget(): void {}

  endStreams(): void {
    for (const stream of this.#streams) stream.end();
  }

  async die(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { id, method, params } = ((await readJson(request)) ?? {}) as Message;
    const refusal = this.refuse?.(method, params ?? {});
    if (refusal) return void response.writeHead(refusal.status, refusal.headers).end(refusal.body ?? '');
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'server/discover') this.handshakes++;
    if (method === 'subscriptions/listen' && this.hasStream) return this.#stream(response, id);
    const text = `${params?.name} ${params?.arguments?.key ?? ''}`.trim();
    if (method === 'tools/call') this.ran.push(text);
    if (method === 'tools/call' && (await this.beforeAnswer?.(response)) === false) return;
    const known = method === 'server/discover' && this.hasStream ? TELLING : ANSWERS.get(method ?? '');
    const result = method === 'tools/call' ? { content: [{ type: 'text', text }] } : known;
    const answer = result
      ? { result: { resultType: 'complete', ...result } }
      : { error: { code: -32601, message: 'Method not found' } };
    response.writeHead(result ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  }

  #stream(response: ServerResponse, id: number): void {
    const params = { _meta: { 'io.modelcontextprotocol/subscriptionId': id } };
    const note = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify(note)}\n\n`);
    this.#streams.add(response);
    response.once('close', () => this.#streams.delete(response));
  }
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly key?: string } };
}

const tool = (name: string, annotations = {}): object => ({ name, inputSchema: { type: 'object' }, annotations });
const TELLING = { supportedVersions: ['2026-07-28'], capabilities: { tools: { listChanged: true } } };
const ANSWERS: ReadonlyMap<string, object> = new Map([
  ['server/discover', { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }],
  [
    'tools/list',
    { tools: [tool('read', { readOnlyHint: true }), tool('put', { idempotentHint: true }), tool('append')] },
  ],
]);
