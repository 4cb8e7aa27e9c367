import type { Socket } from 'node:net';
import type * as Undici from 'undici';
import { HostError } from '../../base/errors.js';
import { dial, type DialOptions, dialProxy } from './dial.js';
import { forward, forwarderOf } from './forwarding.js';
import { HttpConnections, type HttpDispatcher } from './http-connections.js';
import { type ExchangeState, toHttpError } from './http-error.js';
import { type Inflater, openInflater } from './inflate.js';
import { type ProxyServer, throughProxy } from './proxy-choice.js';
import { directRoute, type Route } from './route.js';
import { toProxyRefusal } from './tunnel.js';
import { HEADER_LIMIT, limitHeaderReads } from './limit-header-reads.js';
import { StreamHold } from './stream-hold.js';

export interface HttpClientOptions {
  /** Scheme, host and port. This client sends nothing to any other origin. */
  readonly origin: string;
  /** Subject of every error message: `Server "db"`. */
  readonly label: string;
  readonly connectTimeoutMs?: number;
  /** How connections are made; directly to the origin by default. */
  readonly route?: Route | undefined;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Names and values in turn: the cheapest form for undici. */
  readonly headers: string[];
  readonly body: Buffer | null;
  /** From the request's last byte to the end of the response headers, accurate to about a second; 0: no timeout. */
  readonly headersTimeoutMs: number;
  /** Gets a connection even when calls use all of them: the calls may be waiting for this request. */
  readonly isUrgent?: boolean;
  /** The response is a stream without an end: no call waits for it. */
  readonly isLasting?: boolean;
}

/** Receives the response of one request. Contract: does not throw. Not called after `end`, `failed` or an abort. */
export interface HttpResponseHandler {
  headers(status: number, headers: HttpHeaders): void;
  /** A chunk of the body, decompressed. Returns false to pause until `resume`. */
  data(bytes: Buffer): boolean;
  end(): void;
  failed(error: HostError): void;
}

/** A request in flight. */
export interface HttpExchange {
  /** The request was sent, and no byte of the response has come. */
  readonly isUnanswered: boolean;
  /** Continues after `data` returned false. Not from within a handler: the parser is still running then. */
  resume(): void;
  /** Cancels the request; the handler is not called any more. Closes its connection, if it has one. */
  abort(): void;
}

/**
 * HTTP to one origin over kept connections. Bounds headers and the time to connect; bodies are streamed, so the handler
 * bounds them. Follows no redirect and never sends a request twice.
 */
export class HttpClient {
  readonly #dialling: DialOptions;
  readonly #forwarder: ProxyServer | undefined;
  readonly #traffic: Traffic;
  readonly #sockets = new Set<Socket>();
  readonly #closing = new AbortController();
  #clients: Promise<{ readonly default: typeof Undici.Client }> | undefined;
  #pool: CountedPool | undefined;
  #urgentPool: CountedPool | undefined;
  readonly #retired = new Set<CountedPool>();

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
      hold: new StreamHold(),
    };
  }

  /** Subject of an error message; names the proxy, if one forwards the requests. */
  get label(): string {
    return this.#forwarder ? this.#traffic.label : this.#dialling.label;
  }

  /** Bytes that the server has not read yet. */
  get backlog(): number {
    if (this.#traffic.unansweredBytes === 0) return 0;
    let bytes = this.#traffic.waitingBytes;
    for (const socket of this.#sockets) bytes += socket.writableLength;
    return bytes;
  }

  /** An upper bound of `backlog`, which checks every connection only when the bound exceeds 1 MB. */
  get backlogAbout(): number {
    const { unansweredBytes } = this.#traffic;
    return unansweredBytes <= LITTLE ? unansweredBytes : this.backlog;
  }

  send(request: HttpRequest, handler: HttpResponseHandler): HttpExchange {
    const exchange = new Exchange(request, handler, this.#traffic);
    const isDetour = request.isUrgent === true && this.#traffic.running > CONNECTIONS;
    // A connection whose response has just been read is free in the next turn: another costs three round trips.
    if (this.#pool !== undefined && !isDetour) setImmediate(this.#dispatch, exchange);
    else void this.#sendLater(exchange, isDetour);
    return exchange;
  }

  /**
   * Called when a connection has gone silent: a NAT or proxy may have dropped the idle ones as well, without notice.
   * New requests get new connections; requests in flight continue.
   */
  replaceIdleConnections(): void {
    const pool = this.#pool;
    // At most one retired pool may have calls: otherwise each call that is given up would leave one.
    if (!pool || this.#retired.size >= RETIRED || [...this.#retired].some(({ calls }) => calls > 0)) return;
    this.#pool = undefined;
    this.#retired.add(pool);
    void pool.carrier.close().finally(() => this.#retired.delete(pool));
  }

  /** Ends every exchange without calling its handler, and closes the connections. */
  async close(): Promise<void> {
    this.#traffic.isClosed = true;
    this.#traffic.hold.end();
    this.#closing.abort();
    const pools = [...this.#retired];
    if (this.#pool) pools.push(this.#pool);
    if (this.#urgentPool) pools.push(this.#urgentPool);
    await Promise.all(pools.map(({ carrier }) => carrier.destroy()));
  }

  /** Uses the pool that is current when the exchange is dispatched. */
  readonly #dispatch = (exchange: Exchange): void => {
    const pool = this.#pool;
    const { hold } = this.#traffic;
    if (!pool) void this.#sendLater(exchange, false);
    else if (hold.isActive && !pool.carrier.hasFree) hold.add(() => setImmediate(this.#dispatch, exchange));
    else exchange.dispatch(pool);
    if (exchange.asksForStream) hold.begin();
  };

  async #sendLater(exchange: Exchange, isDetour: boolean): Promise<void> {
    try {
      const { default: UndiciClient } = await (this.#clients ??= import('undici/lib/dispatcher/client.js'));
      if (this.#traffic.isClosed) exchange.abort();
      else if (isDetour) exchange.dispatch((this.#urgentPool ??= this.#openPool(UndiciClient, URGENT_CONNECTIONS)));
      else exchange.dispatch((this.#pool ??= this.#openPool(UndiciClient, CONNECTIONS)));
    } catch (cause) {
      exchange.onError(cause instanceof Error ? cause : new Error(String(cause)));
    }
  }

  #openPool(UndiciClient: typeof Undici.Client, most: number): CountedPool {
    const { origin } = this.#traffic;
    const forwarder = this.#forwarder;
    const options: Undici.Client.Options = {
      pipelining: 1, // a slow call must not delay those behind it
      maxHeaderSize: HEADER_LIMIT,
      connect: (_target, callback) => void this.#connect(callback),
    };
    const open = (): Undici.Client => new UndiciClient(forwarder ? 'http://proxy' : origin, options);
    const pool = new HttpConnections({ open, most });
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
    limitHeaderReads(socket);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return tell(null, socket);
  }
}

/** The headers of a response, unparsed; searched on demand, because few are read. */
export class HttpHeaders {
  readonly #raw: readonly Buffer[];

  constructor(raw: readonly Buffer[]) {
    this.#raw = raw;
  }

  /** Returns the value, several joined by commas as HTTP does. `name` must be in lower case. */
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

const CONNECT_TIMEOUT = 10_000; // ms; a handshake that takes longer has lost packets
const CONNECTIONS = 100; // each running call holds one, and a process may open only a few hundred files
const URGENT_CONNECTIONS = 8;
const RETIRED = 4; // retired pools that only a stream keeps open
const LITTLE = 1_000_000;
const LONG_BODY = 262_144; // bytes; more than the buffers of both ends hold
const INTERIM_LIMIT = 20; // 1xx responses such as "early hints", each of which restarts the headers timeout

/** A connection pool, and how many requests with a finite response use it. */
interface CountedPool {
  readonly carrier: HttpDispatcher;
  calls: number;
}

/** State that the exchanges of one client share. */
interface Traffic {
  readonly origin: string;
  /** Subject of every error message. */
  readonly label: string;
  /** Turns a status that only a proxy sends into an error; undefined where no proxy forwards the requests. */
  readonly toRefusal: ((status: number) => HostError) | undefined;
  running: number;
  /** Bytes of request bodies that wait for a connection. */
  waitingBytes: number;
  /** Bytes of request bodies without a response yet. */
  unansweredBytes: number;
  isClosed: boolean;
  readonly hold: StreamHold;
}

/**
 * One request, as a handler for undici. Uses undici's older callbacks, because the newer ones are a layer above them
 * that builds an object of all headers for every response.
 */
class Exchange implements HttpExchange, Undici.Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #handler: HttpResponseHandler;
  readonly #traffic: Traffic;
  readonly #bytes: number;
  #state: ExchangeState = 'waiting';
  #abort: ((error?: Error) => void) | undefined;
  #pool: CountedPool | undefined;
  #resume: (() => void) | undefined;
  #inflater: Inflater | undefined;
  #interims = 0;
  #sentAt: number | undefined;

  constructor(request: HttpRequest, handler: HttpResponseHandler, traffic: Traffic) {
    this.#request = request;
    this.#handler = handler;
    this.#traffic = traffic;
    traffic.running++;
    this.#bytes = request.body?.length ?? 0;
    traffic.waitingBytes += this.#bytes;
    traffic.unansweredBytes += this.#bytes;
  }

  dispatch(pool: CountedPool): void {
    if (this.#state === 'over') return;
    if (this.#request.isLasting !== true) {
      this.#pool = pool;
      pool.calls++;
    }
    const { method, path, headers, body, headersTimeoutMs } = this.#request;
    // A server may refuse a long body without reading the rest, which would block the next request on that connection.
    const reset = this.#bytes > LONG_BODY;
    pool.carrier.dispatch(
      { method, path, headers, body, reset, headersTimeout: headersTimeoutMs, bodyTimeout: 0 },
      this,
    );
  }

  get isUnanswered(): boolean {
    return this.#state === 'sent';
  }

  get asksForStream(): boolean {
    return this.#request.isLasting === true && this.#request.method === 'GET';
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
    // When this throws, undici drops the request and keeps the connection; an abort would close it.
    if (this.#state === 'over') throw new HostError('cancelled', 'The request was cancelled before it was sent');
    this.#abort = abort;
    this.#sentAt = this.#traffic.hold.now;
    if (this.#state === 'waiting') this.#traffic.waitingBytes -= this.#bytes;
    this.#state = 'sent';
  }

  onResponseStarted(): void {
    if (this.#state === 'sent') this.#state = 'started';
  }

  onHeaders(status: number, raw: Buffer[], resume: () => void): boolean {
    if (this.#state === 'over') return true;
    if (status < 200) {
      if (status === 101) this.#fail('switched the protocol (HTTP 101) without being asked');
      else if (++this.#interims > INTERIM_LIMIT) this.#fail('keeps sending interim responses (HTTP 1xx)');
      return true;
    }
    this.#state = 'answered';
    this.#traffic.hold.answered(this.#sentAt);
    if (this.asksForStream && status < 300) this.#traffic.hold.end();
    this.#traffic.unansweredBytes -= this.#bytes;
    this.#resume = resume;
    if (status === 407 && this.#traffic.toRefusal) {
      this.#failWith(this.#traffic.toRefusal(status));
      return true;
    }
    const headers = new HttpHeaders(raw);
    const coding = headers.get('content-encoding');
    if (coding !== undefined && coding !== '' && !this.#openDecoder(coding.toLowerCase())) return true;
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

  /** Returns false for an unknown coding, after the handler's `failed` was called. */
  #openDecoder(coding: string): boolean {
    if (coding === 'identity') return true;
    this.#inflater = openInflater(coding, {
      data: (bytes) => this.#state === 'over' || this.#handler.data(bytes),
      end: () => this.#end(),
      failed: () => this.#fail(`sent a body that is not the ${coding} it claims to be`),
      drained: () => this.#resume?.(),
    });
    if (!this.#inflater) this.#fail('sent a body in a content coding that Plugboard did not offer');
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
    if (this.asksForStream) this.#traffic.hold.end();
    this.#traffic.running--;
    this.#inflater?.destroy();
  }
}
