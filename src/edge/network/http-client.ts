import type { Socket } from 'node:net';
import type * as Undici from 'undici';
import type { Dispatcher } from 'undici';
import { HostError } from '../../base/errors.js';
import { dial, type DialOptions, dialProxy } from './dial.js';
import { type HttpDispatcher, forward, forwarderOf } from './forwarding.js';
import { type ExchangeState, toHttpError } from './http-error.js';
import { type Inflater, openInflater } from './inflate.js';
import { type ProxyServer, throughProxy } from './proxy-choice.js';
import { directRoute, type Route } from './route.js';
import { toProxyRefusal } from './tunnel.js';
import { HEADER_LIMIT, readInPieces } from '../files/read-in-pieces.js';

export interface HttpClientOptions {
  /** Scheme, host and port. Nothing that goes through this client goes anywhere else. */
  readonly origin: string;
  /** Begins the sentence of every error: `Server "db"`. */
  readonly label: string;
  readonly connectTimeoutMs?: number;
  /** How connections are made; straight to the origin by default. */
  readonly route?: Route | undefined;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Names and values in turn, which is the cheapest form there is. */
  readonly headers: string[];
  readonly body: Buffer | null;
  /** From the request's last byte to the end of the response headers, to about a second; 0 for as long as it takes. */
  readonly headersTimeoutMs: number;
  /** Gets a connection even when calls have taken them all: what they wait for may be this. */
  readonly isUrgent?: boolean;
  /** Its answer goes on for as long as there is a server: nobody waits for its end. */
  readonly isLasting?: boolean;
}

/** What becomes of one request. Contract: does not throw. Nothing is told after `end`, `failed` or an abort. */
export interface HttpResponseHandler {
  headers(status: number, headers: HttpHeaders): void;
  /** A piece of the body, its coding undone. False: nothing more until `resume`. */
  data(bytes: Buffer): boolean;
  end(): void;
  failed(error: HostError): void;
}

/** A request on its way. */
export interface HttpExchange {
  /** It has gone out, and nothing has come back. */
  readonly isUnanswered: boolean;
  /** Goes on after `data` said no. Not from within a handler: the parser is still at work then. */
  resume(): void;
  /** Nobody cares any more, and the handler hears nothing further. Its connection goes, too, if it was on one. */
  abort(): void;
}

/**
 * HTTP to one origin over kept connections. Headers and the time to connect are bounded here; bodies are streamed, so
 * that their bound is the handler's. No redirect is followed, nothing is ever sent twice.
 */
export class HttpClient {
  readonly #dialling: DialOptions;
  readonly #forwarder: ProxyServer | undefined;
  readonly #traffic: Traffic;
  readonly #sockets = new Set<Socket>();
  readonly #closing = new AbortController();
  #pools: Promise<{ readonly default: typeof Undici.Pool }> | undefined;
  #pool: RetiredPool | undefined;
  #urgentPool: RetiredPool | undefined;
  readonly #retired = new Set<RetiredPool>();

  constructor({ origin, label, connectTimeoutMs, route = directRoute(label) }: HttpClientOptions) {
    const { signal } = this.#closing;
    const proxy = (this.#forwarder = forwarderOf(origin, route));
    this.#dialling = { route, label, timeoutMs: connectTimeoutMs ?? CONNECT_TIMEOUT, signal };
    this.#traffic = {
      origin,
      label: route.proxy ? throughProxy(label, route.proxy) : label,
      toRefusal: proxy && ((status) => toProxyRefusal(status, { label, proxy, target: new URL(origin).host })),
      running: 0,
      waitingBytes: 0,
      unansweredBytes: 0,
      isClosed: false,
    };
  }

  /** Begins the sentence of an error: with the proxy that reads what is sent, where there is one. */
  get label(): string {
    return this.#forwarder ? this.#traffic.label : this.#dialling.label;
  }

  /** Bytes that the server has not taken yet. */
  get backlog(): number {
    if (this.#traffic.unansweredBytes === 0) return 0;
    let bytes = this.#traffic.waitingBytes;
    for (const socket of this.#sockets) bytes += socket.writableLength;
    return bytes;
  }

  /** No less than that, and without looking at every connection as long as it can only be little. */
  get backlogAbout(): number {
    const { unansweredBytes } = this.#traffic;
    return unansweredBytes <= LITTLE ? unansweredBytes : this.backlog;
  }

  send(request: HttpRequest, handler: HttpResponseHandler): HttpExchange {
    const exchange = new Exchange(request, handler, this.#traffic);
    const isDetour = request.isUrgent === true && this.#traffic.running > CONNECTIONS;
    // A connection whose answer has just been read is free in the next turn of the event loop. Asked before, undici opens
    // another one, and a remote server is three round trips further away than it need be.
    if (this.#pool !== undefined && !isDetour) setImmediate(this.#dispatch, exchange);
    else void this.#sendLater(exchange, isDetour);
    return exchange;
  }

  /**
   * A connection has gone silent. Whatever stands between may have forgotten the idle ones as well, without a word: what is
   * sent from now on gets new ones, and what is under way goes on.
   */
  replaceIdleConnections(): void {
    const pool = this.#pool;
    // One set of connections with calls beside the present one, and no more: each call that is given up would leave its own.
    if (!pool || this.#retired.size >= RETIRED || [...this.#retired].some(({ calls }) => calls > 0)) return;
    this.#pool = undefined;
    this.#retired.add(pool);
    void pool.carrier.close().finally(() => this.#retired.delete(pool));
  }

  /** Ends every exchange without a word to its handler, and closes the connections. */
  async close(): Promise<void> {
    this.#traffic.isClosed = true;
    this.#closing.abort();
    const pools = [...this.#retired];
    if (this.#pool) pools.push(this.#pool);
    if (this.#urgentPool) pools.push(this.#urgentPool);
    await Promise.all(pools.map(({ carrier }) => carrier.destroy()));
  }

  /** To whichever connections there are by then. */
  readonly #dispatch = (exchange: Exchange): void => {
    if (this.#pool) exchange.dispatch(this.#pool);
    else void this.#sendLater(exchange, false);
  };

  async #sendLater(exchange: Exchange, isDetour: boolean): Promise<void> {
    try {
      const { default: UndiciPool } = await (this.#pools ??= import('undici/lib/dispatcher/pool.js'));
      if (this.#traffic.isClosed) exchange.abort();
      else if (isDetour) exchange.dispatch((this.#urgentPool ??= this.#openPool(UndiciPool, URGENT_CONNECTIONS)));
      else exchange.dispatch((this.#pool ??= this.#openPool(UndiciPool, CONNECTIONS)));
    } catch (cause) {
      exchange.onError(cause instanceof Error ? cause : new Error(String(cause)));
    }
  }

  #openPool(UndiciPool: typeof Undici.Pool, connections: number): RetiredPool {
    const { origin } = this.#traffic;
    const forwarder = this.#forwarder;
    const pool = new UndiciPool(forwarder ? 'http://proxy' : origin, {
      connections,
      pipelining: 1, // a slow call must not hold up those behind it
      maxHeaderSize: HEADER_LIMIT,
      connect: (_target, callback) => void this.#connect(callback),
    });
    return { carrier: forwarder ? forward(pool, { origin, proxy: forwarder }) : pool, calls: 0 };
  }

  async #connect(tell: Undici.buildConnector.Callback): Promise<void> {
    const options = this.#dialling;
    const proxy = this.#forwarder;
    let socket;
    try {
      socket = await (proxy ? dialProxy(proxy, options) : dial(new URL(this.#traffic.origin), options));
    } catch (error) {
      return tell(error as HostError, null);
    }
    readInPieces(socket);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return tell(null, socket);
  }
}

/** The headers of a response as they came; looked up when asked for, because few are. */
export class HttpHeaders {
  readonly #raw: readonly Buffer[];

  constructor(raw: readonly Buffer[]) {
    this.#raw = raw;
  }

  /** Its value, several of them joined as HTTP joins them. The name in lower case. */
  get(name: string): string | undefined {
    const raw = this.#raw;
    let found: string | undefined;
    for (let index = 0; index < raw.length; index += 2) {
      const key = raw[index]!;
      if (key.length !== name.length || key.toString('latin1').toLowerCase() !== name) continue;
      const value = raw[index + 1]!.toString('latin1');
      found = found === undefined ? value : `${found}, ${value}`;
    }
    return found;
  }
}

const CONNECT_TIMEOUT = 10_000; // a handshake that takes longer has lost its packets
const CONNECTIONS = 100; // each call that runs holds one, and the machine has few hundred files to give
const URGENT_CONNECTIONS = 8;
const RETIRED = 4; // that only a stream keeps
const LITTLE = 1_000_000;
const LONG_BODY = 262_144; // more than the buffers on the way take
const INTERIM_LIMIT = 20; // "early hints" and the like, each of which would restart the wait for headers

/** Connections, and how many use them for something that ends. */
interface RetiredPool {
  readonly carrier: HttpDispatcher;
  calls: number;
}

/** What the exchanges of one client share. */
interface Traffic {
  readonly origin: string;
  /** Begins the sentence of every error. */
  readonly label: string;
  /** What a status says that only a proxy gives; undefined where no proxy reads the requests. */
  readonly toRefusal: ((status: number) => HostError) | undefined;
  /** Exchanges that have not ended. */
  running: number;
  /** Bytes of bodies that no connection has been given yet. */
  waitingBytes: number;
  /** Bytes of bodies of which the server has not shown yet that it has them. */
  unansweredBytes: number;
  isClosed: boolean;
}

/**
 * One request as undici sees it. The older set of its callbacks, because the newer one is a layer above them that makes
 * an object of all headers of every response.
 */
class Exchange implements HttpExchange, Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #handler: HttpResponseHandler;
  readonly #traffic: Traffic;
  readonly #bytes: number;
  #state: ExchangeState = 'waiting';
  #abort: ((error?: Error) => void) | undefined;
  #pool: RetiredPool | undefined;
  #resume: (() => void) | undefined;
  #inflater: Inflater | undefined;
  #interims = 0;

  constructor(request: HttpRequest, handler: HttpResponseHandler, traffic: Traffic) {
    this.#request = request;
    this.#handler = handler;
    this.#traffic = traffic;
    traffic.running++;
    this.#bytes = request.body?.length ?? 0;
    traffic.waitingBytes += this.#bytes;
    traffic.unansweredBytes += this.#bytes;
  }

  dispatch(pool: RetiredPool): void {
    if (this.#state === 'over') return;
    if (this.#request.isLasting !== true) {
      this.#pool = pool;
      pool.calls++;
    }
    const { method, path, headers, body, headersTimeoutMs } = this.#request;
    // A server may refuse a long body and never read the rest, behind which the next request on that connection would wait.
    const reset = this.#bytes > LONG_BODY;
    pool.carrier.dispatch(
      { method, path, headers, body, reset, headersTimeout: headersTimeoutMs, bodyTimeout: 0 },
      this,
    );
  }

  get isUnanswered(): boolean {
    return this.#state === 'sent';
  }

  resume(): void {
    if (this.#inflater) this.#inflater.resume();
    else this.#resume?.();
  }

  abort(): void {
    if (this.#state === 'over') return;
    this.#finish();
    this.#abort?.();
  }

  onConnect(abort: (error?: Error) => void): void {
    // Thrown, undici forgets the request and keeps the connection; aborted, it would close it.
    if (this.#state === 'over') throw new HostError('cancelled', 'The request was withdrawn before it was sent');
    this.#abort = abort;
    if (this.#state === 'waiting') this.#traffic.waitingBytes -= this.#bytes;
    this.#state = 'sent';
  }

  onResponseStarted(): void {
    if (this.#state === 'sent') this.#state = 'started';
  }

  onHeaders(status: number, raw: Buffer[], resume: () => void): boolean {
    if (this.#state === 'over') return true;
    if (status < 200) {
      if (status === 101) this.#fail('wants to change the protocol (HTTP 101), which nobody asked for');
      else if (++this.#interims > INTERIM_LIMIT) this.#fail('keeps announcing an answer (HTTP 1xx)');
      return true;
    }
    this.#state = 'answered';
    this.#traffic.unansweredBytes -= this.#bytes;
    this.#resume = resume;
    if (status === 407 && this.#traffic.toRefusal) {
      this.#failWith(this.#traffic.toRefusal(status));
      return true;
    }
    const headers = new HttpHeaders(raw);
    const coding = headers.get('content-encoding');
    if (coding !== undefined && coding !== '' && !this.#undo(coding.toLowerCase())) return true;
    this.#handler.headers(status, headers);
    return true;
  }

  onData(bytes: Buffer): boolean {
    if (this.#state === 'over') return true;
    return this.#inflater ? this.#inflater.write(bytes) : this.#handler.data(bytes);
  }

  onComplete(): void {
    if (this.#state === 'over') return;
    if (this.#inflater) this.#inflater.end();
    else this.#end();
  }

  onError(cause: Error): void {
    if (this.#state === 'over') return;
    const { label, origin } = this.#traffic;
    const { headersTimeoutMs } = this.#request;
    const state = this.#state;
    const error = toHttpError(cause, { label, origin, state, headersTimeoutMs, headerLimit: HEADER_LIMIT });
    this.#finish();
    if (!this.#traffic.isClosed) this.#handler.failed(error);
  }

  /** False: that coding is unknown, and the handler has been told. */
  #undo(coding: string): boolean {
    if (coding === 'identity') return true;
    this.#inflater = openInflater(coding, {
      data: (bytes) => this.#state === 'over' || this.#handler.data(bytes),
      end: () => this.#end(),
      failed: () => this.#fail(`sent a body that is not the ${coding} it claims to be`),
      drained: () => this.#resume?.(),
    });
    if (!this.#inflater) this.#fail('sent a body in a content coding that nobody offered');
    return this.#inflater !== undefined;
  }

  #end(): void {
    if (this.#state === 'over') return;
    this.#finish();
    this.#handler.end();
  }

  #fail(what: string): void {
    this.#failWith(new HostError('http-failed', `${this.#traffic.label} ${what}`));
  }

  #failWith(error: HostError): void {
    if (this.#state === 'over') return;
    this.abort();
    this.#handler.failed(error);
  }

  #finish(): void {
    if (this.#pool) this.#pool.calls--;
    if (this.#state === 'waiting') this.#traffic.waitingBytes -= this.#bytes;
    if (this.#state !== 'answered') this.#traffic.unansweredBytes -= this.#bytes;
    this.#state = 'over';
    this.#traffic.running--;
    this.#inflater?.destroy();
  }
}
