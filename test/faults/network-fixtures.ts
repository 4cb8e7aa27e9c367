import type { JsonObject } from '../../src/base/json.js';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, request, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type LookupFunction, type Server, type Socket } from 'node:net';
import type { TLSSocket, TlsOptions } from 'node:tls';
import { onTestFinished } from 'vitest';
import { findRoute, type Route, type RouteOptions } from '../../src/edge/network/route.js';
import { behaveOverHttp } from '../../src/transports/http/http-fixtures.js';
import { type Identity, makeIdentity } from './certificates.js';

/** The host name of the servers in these tests. With 127.0.0.1 they would never be proxied. */
export const HOST = 'mcp.test';

/** The certificate authority of these tests. Made once, because generating a key takes time. */
export const authority: Identity = makeIdentity({ name: 'Test Authority', isAuthority: true });
export const identity: Identity = makeIdentity({ name: HOST, issuer: authority, hosts: [HOST, '127.0.0.1'] });

/** A DNS lookup that resolves every name to 127.0.0.1. */
export const lookupHere: LookupFunction = (_name, _options, callback) =>
  callback(null, [{ address: '127.0.0.1', family: 4 }]);

export function routeTo(url: string, options: Partial<RouteOptions> = {}): Promise<Route> {
  const tls = { ca: authority.cert };
  return findRoute(new URL(url), { label: 'Server "x"', env: {}, cwd: '/', lookup: lookupHere, tls, ...options });
}

export interface Listening {
  readonly port: number;
  /** How many connections were accepted. */
  readonly connections: () => number;
  /** Stops listening and destroys all connections at once. */
  kill(): Promise<void>;
}

export async function listen(server: Server, port = 0): Promise<Listening> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const kill = async (): Promise<void> => {
    for (const socket of sockets) socket.resetAndDestroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(kill);
  return { port: (server.address() as AddressInfo).port, connections: () => connections, kill };
}

export interface McpServer extends Listening {
  readonly url: string;
  readonly visits: IncomingMessage[];
}

/** A well-behaved MCP server over plain HTTP. */
export async function openPlainServer(): Promise<McpServer> {
  const visits: IncomingMessage[] = [];
  const listening = await listen(createHttpServer(answer(visits)));
  return { ...listening, visits, url: `http://${HOST}:${listening.port}/mcp` };
}

/** A well-behaved MCP server over HTTPS. */
export async function openTlsServer(options: TlsOptions = {}): Promise<McpServer> {
  const visits: IncomingMessage[] = [];
  const server = createHttpsServer({ cert: identity.cert, key: identity.key, ...options }, answer(visits));
  const listening = await listen(server);
  return { ...listening, visits, url: `https://${HOST}:${listening.port}/mcp` };
}

function answer(visits: IncomingMessage[]): RequestListener {
  return (visit, response) => {
    const pieces: Buffer[] = [];
    visits.push(visit);
    visit.on('data', (piece: Buffer) => pieces.push(piece));
    visit.on('end', () => {
      const { method = '', url = '', headers, socket } = visit;
      const message = JSON.parse(Buffer.concat(pieces).toString() || '{}') as JsonObject;
      behaveOverHttp({ method, path: url, headers, message, socket }, response);
    });
  };
}

/** A server on a bare TCP socket that hands each connection to `serve`. */
export function openRaw(serve: (socket: Socket) => void): Promise<Listening> {
  return listen(createServer(serve));
}

export interface ForwardProxy extends Listening {
  readonly url: string;
  /** What clients requested: `CONNECT mcp.test:443`, `POST http://mcp.test/mcp`. */
  readonly journal: string[];
  /** The names in the clients' certificates; undefined for each client that showed none. */
  readonly certificates: (string | undefined)[];
}

export interface ForwardProxyOptions {
  /** `user:password`; a request without these credentials gets 407. */
  readonly login?: string;
  /** Clients reach the proxy over TLS. */
  readonly tls?: TlsOptions;
  /** Refuses every request with this status. */
  readonly status?: number;
  readonly port?: number;
}

/** A forward proxy: `CONNECT` and absolute-form requests, always to the requested port on this machine. */
export async function openProxy({ login, tls, status, port }: ForwardProxyOptions = {}): Promise<ForwardProxy> {
  const journal: string[] = [];
  const certificates: (string | undefined)[] = [];
  const refusal = ({ headers }: IncomingMessage): number | undefined => {
    const given = headers['proxy-authorization'];
    const isKnown = login === undefined || given === `Basic ${Buffer.from(login).toString('base64')}`;
    return isKnown ? status : 407;
  };
  const pass: RequestListener = (visit, response) => {
    journal.push(`${visit.method} ${visit.url}`);
    const refused = refusal(visit);
    if (refused !== undefined) return void response.writeHead(refused).end('no');
    const url = new URL(visit.url!);
    const { 'proxy-authorization': _, ...headers } = visit.headers;
    const onward = request({
      host: '127.0.0.1',
      port: url.port,
      path: url.pathname + url.search,
      method: visit.method,
      headers,
    });
    onward.on('response', (reply) => reply.pipe(response.writeHead(reply.statusCode!, reply.headers)));
    onward.on('error', () => response.destroy());
    return void visit.pipe(onward);
  };
  const server = tls ? createHttpsServer(tls, pass) : createHttpServer(pass);
  server.on('connect', (visit: IncomingMessage, socket: Socket) => {
    journal.push(`CONNECT ${visit.url}`);
    const refused = refusal(visit);
    if (refused !== undefined) return void socket.end(`HTTP/1.1 ${refused} No\r\n\r\n`);
    const onward = connect(Number(visit.url!.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    return void socket.on('error', () => onward.destroy()).on('close', () => onward.destroy());
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    certificates.push(socket.getPeerCertificate().subject?.CN?.toString());
  });
  const listening = await listen(server, port);
  const url = `${tls ? 'https' : 'http'}://${tls ? HOST : '127.0.0.1'}:${listening.port}`;
  return { ...listening, url, journal, certificates };
}

/** A local port on which no process listens. */
export async function deadPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
