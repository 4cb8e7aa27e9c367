// RFC 8252 section 7.3, https://www.rfc-editor.org/rfc/rfc8252#section-7.3
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { within } from '../../base/within.js';
import { systemClock } from '../../edge/clock.js';
import { errorCodeOf } from '../../edge/files/write-error.js';
import { LOOPBACK_HOSTS } from './authorization-response.js';
import { CALLBACK_PAGE_HEADERS, type CallbackPage, toCallbackPage } from './callback-page.js';
import { signInFailure } from '../oauth-error.js';

export interface CallbackServerOptions {
  /** The server that the user signs in to. */
  readonly name: string;
  /** The only port to try. */
  readonly fixedPort?: number | undefined;
  /** Tried first, because the authorization server knows it; another port if it is taken. */
  readonly preferredPort?: number | undefined;
  /** Decides which page is shown. Contract: never rejects, and resolves within `PAGE_TIMEOUT_MS`. */
  readonly take: (query: URLSearchParams) => Promise<CallbackPage>;
}

/** The longest that the browser waits for the final page. */
export const PAGE_TIMEOUT_MS = 8000;

/** Listens on loopback for the browser to come back. Rejects with a HostError when no port is free. */
export async function openCallbackServer(options: CallbackServerOptions): Promise<CallbackServer> {
  const { fixedPort, preferredPort = 0 } = options;
  const ports = fixedPort === undefined ? [preferredPort, ...Array.from({ length: TRIES }, () => 0)] : [fixedPort];
  for (const port of ports) {
    const server = await listenOn(port, options);
    if (server) return server;
  }
  if (fixedPort !== undefined)
    throw signInFailure(`Cannot sign in to server "${options.name}": port ${fixedPort} is in use`, {
      hint: `Stop the program that listens on port ${fixedPort}, or set another oauth.callbackPort`,
    });
  throw signInFailure(`Cannot sign in to server "${options.name}": there is no free port`, {
    hint: 'Set oauth.callbackPort to a free port',
    isTransient: true,
  });
}

export class CallbackServer implements AsyncDisposable {
  readonly port: number;
  readonly redirectUri: string;
  readonly #servers: readonly Server[];
  /** Pages that are still on their way to the browser. */
  readonly #pages = new Set<Promise<unknown>>();

  constructor(servers: readonly Server[], port: number, { name, take }: CallbackServerOptions) {
    this.#servers = servers;
    this.port = port;
    // `localhost`, not 127.0.0.1: most authorization servers have it registered by this name only.
    this.redirectUri = `http://localhost:${port}/callback`;
    for (const server of servers) {
      server.on('request', (request, response) => {
        const page = answer(request, { port, take }).then(([status, kind]) =>
          send(response, status, toCallbackPage(kind, name)),
        );
        this.#pages.add(page);
        void page.finally(() => this.#pages.delete(page));
      });
    }
  }

  /** Accepts no more connections; resolves once pages are sent (`SENDING_MS` at most). Idempotent, never rejects. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) server.close();
    await within(Promise.all(this.#pages), {
      deadline: (expire) => systemClock.after(SENDING_MS, expire),
      instead: () => {},
    });
    for (const server of this.#servers) server.closeAllConnections();
  }
}

const TRIES = 5;
const IDLERS = 20; // connections without a request; a browser opens a few in advance
const CONNECTIONS = 200;
const CONNECTION_MS = 10_000;
const SENDING_MS = 2000; // the user waits for the sign-in to end
const HEADER_BYTES = 32_768; // a code may be long, and a browser sends its cookies for localhost

/** Listens on both addresses that `localhost` may mean; undefined when the port is taken on one of them. */
async function listenOn(port: number, options: CallbackServerOptions): Promise<CallbackServer | undefined> {
  const first = await listen(port, '127.0.0.1');
  if (!(first.kind === 'listening')) return undefined;
  const { port: actual } = first.server.address() as AddressInfo;
  const second = await listen(actual, '::1');
  if (second.kind === 'taken') {
    first.server.close();
    return undefined;
  }
  const servers = second.kind === 'listening' ? [first.server, second.server] : [first.server];
  return new CallbackServer(servers, actual, options);
}

type Listening =
  | { readonly kind: 'listening'; readonly server: Server }
  | { readonly kind: 'taken' | 'no-such-address' };

async function listen(port: number, host: string): Promise<Listening> {
  const server = createServer({
    maxHeaderSize: HEADER_BYTES,
    headersTimeout: CONNECTION_MS,
    requestTimeout: CONNECTION_MS,
    connectionsCheckingInterval: 1000,
    keepAlive: false,
  });
  server.maxConnections = CONNECTIONS;
  server.timeout = CONNECTION_MS;
  dismissIdlers(server);
  try {
    server.listen({ port, host, exclusive: true, ipv6Only: host === '::1' });
    await once(server, 'listening');
    server.on('error', () => {}); // a connection could not be accepted: the browser tries again
    return { kind: 'listening', server };
  } catch (error) {
    const code = errorCodeOf(error);
    return { kind: code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' ? 'no-such-address' : 'taken' };
  }
}

/** Closes the oldest idle connection above `IDLERS`: a local program could otherwise use up all connections. */
function dismissIdlers(server: Server): void {
  const idlers = new Set<Socket>();
  server.on('connection', (socket) => {
    idlers.add(socket);
    socket.once('close', () => idlers.delete(socket));
    const [oldest] = idlers;
    if (idlers.size > IDLERS) oldest?.destroy();
  });
  server.on('request', ({ socket }) => idlers.delete(socket));
}

async function answer(
  request: IncomingMessage,
  { port, take }: { readonly port: number; readonly take: CallbackServerOptions['take'] },
): Promise<readonly [status: number, page: CallbackPage]> {
  request.resume();
  // Another host name that resolves to this machine (DNS rebinding): its pages could read our response.
  if (!isOwnHost(request.headers.host, port)) return [400, 'wrong-address'];
  const { method, url = '' } = request;
  const [path, ...rest] = url.split('?');
  if (path !== '/callback') return [404, 'not-found'];
  if (method !== 'GET') return [405, 'wrong-address'];
  const page = await take(new URLSearchParams(rest.join('?')));
  return [page === 'wrong-address' ? 400 : 200, page];
}

function isOwnHost(host: string | undefined, port: number): boolean {
  const suffix = `:${port}`;
  return host !== undefined && host.endsWith(suffix) && LOOPBACK_HOSTS.has(host.slice(0, -suffix.length).toLowerCase());
}

/** Resolves when the page has been sent, or the browser has disconnected. */
function send(response: ServerResponse, status: number, page: string): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    if (response.destroyed) return resolve();
    response.writeHead(status, { ...CALLBACK_PAGE_HEADERS, 'content-length': Buffer.byteLength(page) });
    response.end(page);
  });
}
