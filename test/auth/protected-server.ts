// A protected MCP server: https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization, https://www.rfc-editor.org/rfc/rfc9728
import type { JsonWebKey } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { readJson } from '../faults/journal-listen.js';
import type { Authority, Granted } from './authority.js';
import { readJwt, thumbprint } from './jwt.js';

export interface ProtectedOptions {
  readonly authority: Authority;
  /** The scopes that every request needs. Default: `read`. */
  readonly scopes?: readonly string[];
  /** The additional scope that the tool `admin` needs. Default: `admin`. */
  readonly stepUp?: string;
  /** HTTP+SSE (2024-11-05) instead of Streamable HTTP in both eras. */
  readonly isSse?: boolean;
  /** Only the legacy era. */
  readonly isLegacy?: boolean;
  /** Responds 401 to every GET, which opens the stream for the server's own messages, whatever the token. */
  readonly refusesStream?: boolean;
}

/** An MCP server (official SDK) that requires access tokens. */
export interface ProtectedServer extends AsyncDisposable {
  readonly url: string;
  /** Accepted requests, by token. */
  readonly admitted: Map<string, number>;
  /** Refused requests, by HTTP status. */
  readonly refused: Record<number, number>;
  /** Tool calls with their account: `somebody: append a`. */
  readonly journal: string[];
  /** Tokens that this server refuses although the authority accepts them. */
  readonly revoked: Set<string>;
}

export async function openProtectedServer(options: ProtectedOptions): Promise<ProtectedServer> {
  const { authority, scopes = ['read'], stepUp = 'admin' } = options;
  const admitted = new Map<string, number>();
  const refused: Record<number, number> = {};
  const journal: string[] = [];
  const revoked = new Set<string>();
  const take = options.isSse
    ? overSse(journal)
    : overHttp(journal, options.isLegacy ? ['legacy'] : ['legacy', 'modern']);
  const http = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const url = `${origin}/mcp`;
  const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
  return {
    url,
    admitted,
    refused,
    journal,
    revoked,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '', origin);
    if (`${origin}${pathname}` === metadata) return describe(response);
    if (pathname.startsWith('/.well-known/')) return void response.writeHead(404).end();
    const message = request.method === 'POST' ? ((await readJson(request)) as Message | undefined) : undefined;
    const { authorization = '' } = request.headers;
    const [, scheme = '', token = ''] = /^(\S+) (\S+)$/u.exec(authorization) ?? [];
    const granted = revoked.has(token) ? undefined : await authority.check(token);
    const isStream = options.refusesStream === true && request.method === 'GET';
    if (isStream || !granted || granted.audience !== url || !isProven(request, { scheme, granted, origin })) {
      const problem = token === '' ? '' : ', error="invalid_token"';
      return refuse(response, 401, `resource_metadata="${metadata}", scope="${scopes.join(' ')}"${problem}`);
    }
    const isAdmin = message?.params?.name === 'admin';
    const needed = isAdmin ? [...scopes, stepUp] : scopes;
    if (!needed.every((scope) => granted.scopes.includes(scope))) {
      const asked = isAdmin ? stepUp : scopes.join(' ');
      return refuse(response, 403, `error="insufficient_scope", scope="${asked}", resource_metadata="${metadata}"`);
    }
    admitted.set(token, (admitted.get(token) ?? 0) + 1);
    return take({ request, response, message, account: granted.account });
  }

  function describe(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ resource: url, authorization_servers: [authority.issuer] }));
  }

  function refuse(response: ServerResponse, status: number, challenge: string): void {
    refused[status] = (refused[status] ?? 0) + 1;
    response.writeHead(status, { 'www-authenticate': `Bearer ${challenge}` }).end();
  }
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Called;
}

interface Called {
  readonly name?: string;
  readonly arguments?: { readonly key?: string };
}

interface Taken {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly message: Message | undefined;
  readonly account: string;
}

/** A token that is bound to a key needs a DPoP proof: https://www.rfc-editor.org/rfc/rfc9449#section-4.3 */
function isProven(
  { method, url = '', headers }: IncomingMessage,
  { scheme, granted, origin }: { scheme: string; granted: Granted; origin: string },
): boolean {
  if (granted.key === undefined) return scheme === 'Bearer';
  const proof = readJwt(String(headers['dpop']), ({ jwk }) => jwk as JsonWebKey);
  return (
    scheme === 'DPoP' &&
    proof?.header['typ'] === 'dpop+jwt' &&
    thumbprint(proof.header['jwk'] as JsonWebKey) === granted.key &&
    proof.claims['htm'] === method &&
    proof.claims['htu'] === `${origin}${url}` &&
    typeof proof.claims['ath'] === 'string'
  );
}

type Take = (taken: Taken) => Promise<void> | void;

function overHttp(journal: string[], eras: readonly string[]): Take {
  const toHandler = (account: string): ReturnType<typeof toNodeHandler> => {
    const legacy = eras.includes('legacy') ? 'stateless' : 'reject';
    return toNodeHandler(createMcpHandler(() => build(journal, account), { legacy }));
  };
  const handlers = new Map<string, ReturnType<typeof toNodeHandler>>();
  return ({ request, response, message, account }) => {
    if (!eras.includes('modern') && message?.method === 'server/discover') {
      return sendJson(response, answer(journal, message, account));
    }
    let handle = handlers.get(account);
    if (!handle) handlers.set(account, (handle = toHandler(account)));
    return handle(request as never, response, message);
  };
}

function build(journal: string[], account: string): Server {
  const server = new Server({ name: 'protected', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: TOOLS as never }));
  server.setRequestHandler('tools/call', ({ params }) => run(journal, account, params as Called) as never);
  return server;
}

/** One stream for each client; its endpoint URL names the stream. */
function overSse(journal: string[]): Take {
  const streams: ServerResponse[] = [];
  return ({ request, response, message, account }) => {
    if (request.method === 'GET') {
      const number = streams.push(response) - 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.write(`event: endpoint\ndata: /mcp?stream=${number}\n\n`);
    }
    const stream = streams[Number(/stream=(\d+)$/u.exec(request.url ?? '')?.[1])];
    if (!stream || !message) return void response.writeHead(405).end();
    response.writeHead(202).end();
    if (message.id === undefined) return undefined;
    return void stream.write(`event: message\ndata: ${JSON.stringify(answer(journal, message, account))}\n\n`);
  };
}

function answer(journal: string[], { id, method, params }: Message, account: string): object {
  const about = { jsonrpc: '2.0', id };
  switch (method ?? '') {
    case 'initialize': {
      const serverInfo = { name: 'protected', version: '1' };
      return { ...about, result: { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo } };
    }
    case 'tools/list':
      return { ...about, result: { tools: TOOLS } };
    case 'tools/call':
      return { ...about, result: run(journal, account, params ?? {}) };
    default:
      return { ...about, error: { code: -32601, message: 'Method not found' } };
  }
}

const TOOLS = [
  { name: 'read', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'append', inputSchema: { type: 'object' } },
  { name: 'admin', inputSchema: { type: 'object' } },
];

function run(journal: string[], account: string, { name, arguments: input }: Called): object {
  const line = `${account}: ${name} ${input?.key ?? ''}`.trim();
  journal.push(line);
  return { content: [{ type: 'text', text: line }] };
}

function sendJson(response: ServerResponse, message: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
}
