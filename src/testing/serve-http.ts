// Streamable HTTP, from the server's side: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { isObject } from '../base/json.js';
import { eventStream } from './event-stream.js';
import { answer, type Ask, healthyAnswer } from './healthy.js';
import type { HttpHandler, HttpHandlers, HttpTurn, IncomingRequest } from './http-turn.js';
import { Hearing } from './hearing.js';
import { Ledger } from './ledger.js';
import type { HttpMode } from './mode.js';
import { RequestReader } from './request-reader.js';
import { toHead } from './response-head.js';
import { openTrap } from './trap.js';
import { write } from './write.js';

/** A hostile server that is being served. */
export interface ServedMode extends AsyncDisposable {
  readonly url: string;
  /** The requests so far, oldest first; after a thousand only the counts go on. */
  readonly log: readonly IncomingRequest[];
  /** What the tool `report` tells, too. */
  readonly counts: () => Record<string, number>;
}

export interface ServeOptions {
  readonly host?: string;
  /** 0 or absent: any that is free. */
  readonly port?: number;
}

const LOG_LIMIT = 1000; // a host that loops must not fill our memory
/** What a good server calls its only session. */
export const SESSION = 'plugboard-attack-session';

/** Serves a mode on loopback, in this process. Nothing in it blocks or fills memory: the one who suffers is the host. */
export async function serveHttp(
  mode: HttpMode,
  { host = '127.0.0.1', port = 0 }: ServeOptions = {},
): Promise<ServedMode> {
  const handlers = mode.behave();
  const ledger = new Ledger();
  const hearing = new Hearing();
  const log: IncomingRequest[] = [];
  const trap = await openTrap(ledger);
  const sockets = new Set<Socket>();
  let url = '';
  const server = createServer((socket) => {
    sockets.add(socket);
    ledger.add('connections');
    socket.on('error', () => {}); // a host may hang up in mid-answer: that is what is being tested
    const leaving = new AbortController();
    socket.once('close', () => {
      sockets.delete(socket);
      leaving.abort();
    });
    if (handlers.connection) void perform(handlers.connection, socket);
    else
      listen(socket, (incoming) => {
        if (log.length < LOG_LIMIT) log.push(incoming);
        return answerRequest(incoming, {
          socket,
          gone: leaving.signal,
          handlers,
          ledger,
          hearing,
          url,
          trap: trap.url,
        });
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  url = `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}/mcp`;
  return {
    url,
    log,
    counts: () => ledger.counts(),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
      await trap[Symbol.asyncDispose]();
    },
  };
}

/** Requests of one connection, one after the other, as HTTP/1.1 has it. */
function listen(socket: Socket, take: (incoming: IncomingRequest) => Promise<void>): void {
  let last = Promise.resolve();
  const reader = new RequestReader((incoming) => {
    last = last.then(() => take(incoming));
  });
  socket.on('data', (chunk: Buffer) => reader.push(chunk));
}

interface Served {
  readonly socket: Socket;
  readonly gone: AbortSignal;
  readonly handlers: HttpHandlers;
  readonly ledger: Ledger;
  readonly hearing: Hearing;
  readonly url: string;
  readonly trap: string;
}

async function answerRequest(incoming: IncomingRequest, served: Served): Promise<void> {
  const { handlers, ledger } = served;
  const { method } = incoming;
  if (method !== 'POST') {
    ledger.add(method);
    const handler = method === 'GET' ? handlers.get : method === 'DELETE' ? handlers.delete : undefined;
    const turn = toTurn({ id: undefined, method, params: {} }, incoming, served);
    return perform(handler ?? (({ reply }) => reply({ status: method === 'DELETE' ? 200 : 405 })), turn);
  }
  const message = parse(incoming.body);
  const ask = ledger.take(message);
  served.hearing.tell(isObject(message) ? message : {});
  if (ask?.method !== 'initialize' && incoming.headers['mcp-session-id'] !== SESSION) ledger.add('without session');
  if (ask !== undefined) return perform(handlerOf(ask, handlers) ?? goodHandler(served), toTurn(ask, incoming, served));
  const isInitialized = isObject(message) && message['method'] === 'notifications/initialized';
  const handler = isInitialized ? handlers.initialized : undefined;
  return perform(
    handler ?? (({ reply }) => reply({ status: 202 })),
    toTurn({ id: undefined, method: 'note', params: {} }, incoming, served),
  );
}

function handlerOf({ method, params }: Ask, handlers: HttpHandlers): HttpHandler | undefined {
  if (method === 'initialize') return handlers.initialize;
  if (method === 'tools/list') return handlers.list;
  return method === 'tools/call' && params['name'] === 'attack' ? handlers.attack : undefined;
}

function goodHandler({ handlers, ledger }: Served): HttpHandler {
  return async ({ id, method, params, json, stream }) => {
    const text = healthyAnswer({ id, method, params }, () => ledger.counts()) ?? answer(id);
    const headers = method === 'initialize' ? { 'Mcp-Session-Id': SESSION } : {};
    if (handlers.style !== 'sse') return json(text, headers);
    const events = await stream(headers);
    await events.event(text);
    return events.end();
  };
}

function toTurn(ask: Ask, incoming: IncomingRequest, served: Served): HttpTurn {
  const { socket, gone, url, trap, ledger, hearing } = served;
  const raw: HttpTurn['raw'] = (bytes) => write(socket, bytes);
  const reply: HttpTurn['reply'] = async ({ status, reason, headers, body = '' }) => {
    const bytes = Buffer.from(body);
    await raw(toHead(status, { 'Content-Length': String(bytes.length), ...headers }, reason));
    return raw(bytes);
  };
  return {
    ...ask,
    incoming,
    raw,
    reply,
    json: (text, headers) =>
      reply({ status: 200, headers: { 'Content-Type': 'application/json', ...headers }, body: text }),
    async stream(headers) {
      await raw(toHead(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked', ...headers }));
      return eventStream(raw);
    },
    hangUp: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
    gone,
    hear: (fits) => hearing.hear(fits, gone),
    count: (what) => ledger.add(what),
    url,
    trap,
  };
}

/** A mistake of ours must not look like the attack: it is told, and the connection closed. */
async function perform<Turn>(handler: (turn: Turn) => unknown, turn: Turn): Promise<void> {
  try {
    await handler(turn);
  } catch (error) {
    process.emitWarning(`The hostile server itself failed: ${String(error)}`);
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // counted as unreadable: the host is under test, not we
  }
}
