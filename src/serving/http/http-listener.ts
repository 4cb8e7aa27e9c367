import { createServer, type RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { HostError } from '../../base/errors.js';
import { systemCode } from '../../base/system-code.js';
import { FIELD_LIMIT } from './gates.js';

export interface HttpListenerOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  readonly handle: RequestListener;
  /** How many connections may be open. */
  readonly connectionLimit?: number;
}

/** A listener for HTTP. Disposing of it closes all of its connections. */
export interface HttpListener extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** `http://127.0.0.1:8931`, without a path. */
  readonly origin: string;
  /** Takes no new connections. */
  stop(): void;
}

/** Listens with bounds on everything that a client sends before its request is read. */
export async function openHttpListener({
  host,
  port,
  handle,
  connectionLimit = CONNECTION_LIMIT,
}: HttpListenerOptions): Promise<HttpListener> {
  const server = createServer(
    {
      maxHeaderSize: HEAD_BYTES,
      headersTimeout: HEAD_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: CHECK_MS,
      noDelay: true,
      keepAlive: true,
    },
    handle,
  );
  server.maxHeadersCount = FIELD_LIMIT;
  server.maxConnections = connectionLimit;
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    // Into an answer that has begun, or in place of one that is still owed, nothing may be written.
    if (!socket.writable || socket.destroyed || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    const answer = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : status;
    socket.end(`HTTP/1.1 ${answer}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(toListenError(cause, host, port)));
    server.listen(port, host, BACKLOG, () => resolve());
  });
  // A later error of the listener, such as too many open files, concerns one connection only.
  server.removeAllListeners('error');
  server.on('error', () => {});
  const { port: bound } = server.address() as AddressInfo;
  return {
    host,
    port: bound,
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    stop: () => void server.close(),
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Whether a request that came whole is being answered. Node keeps the response there, and looks there itself. */
function isAnswering(socket: Duplex): boolean {
  const response = (socket as Duplex & Readonly<Record<string, unknown>>)[RESPONSE];
  return response instanceof ServerResponse && (response.headersSent || response.req.complete);
}

const RESPONSE = '_httpMessage';

function toListenError(cause: Error, host: string, port: number): HostError {
  const code = systemCode(cause);
  const place = `${host}:${port}`;
  const said =
    code === 'EADDRINUSE' ? 'another program listens there' : code === 'EACCES' ? 'this user may not' : cause.message;
  return new HostError('connect-failed', `Cannot listen on ${place}: ${said}`, {
    hint: 'Choose another port, or 0 for a free one',
    cause,
  });
}

const HEAD_BYTES = 16_384;
const HEAD_MS = 10_000;
const REQUEST_MS = 60_000;
const IDLE_MS = 60_000;
const CHECK_MS = 2_000;
const CONNECTION_LIMIT = 20_000;
const BACKLOG = 1_024;
