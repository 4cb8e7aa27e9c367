import type { Socket } from 'node:net';
import type * as Undici from 'undici';
import type { Dispatcher, Pool } from 'undici';
import { HostError } from '../base/errors.js';
import { type Inflater, openInflater } from './inflate.js';

export interface HttpClientOptions {
  /** Scheme, host and port. Nothing that goes through this client goes anywhere else. */
  readonly origin: string;
  /** Begins the sentence of every error: `Server "db"`. */
  readonly label: string;
  readonly connectTimeoutMs?: number;
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
}

/** What becomes of one request. Contract: does not throw. Nothing is told after `end`, `failed` or an abort. */
export interface HttpHandler {
  headers(status: number, headers: HttpHeaders): void;
  /** A piece of the body, its coding undone. False: nothing more until `resume`. */
  data(bytes: Buffer): boolean;
  end(): void;
  failed(error: HostError): void;
}

/** A request on its way. */
export interface HttpExchange {
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
  readonly #traffic: Traffic;
  readonly #sockets = new Set<Socket>();
  #undici: Promise<typeof Undici> | undefined;
  #pool: Pool | undefined;
  #urgentPool: Pool | undefined;

  constructor({ origin, label, connectTimeoutMs = CONNECT_TIMEOUT }: HttpClientOptions) {
    this.#traffic = {
      origin,
      label,
      connectTimeoutMs,
      running: 0,
      waitingBytes: 0,
      unansweredBytes: 0,
      isClosed: false,
    };
  }

  /** Bytes that the server has not taken yet. */
  get backlog(): number {
    if (this.#traffic.unansweredBytes === 0) return 0;
    let bytes = this.#traffic.waitingBytes;
    for (const socket of this.#sockets) bytes += socket.writableLength;
    return bytes;
  }

  /** The same question, which costs nothing as long as the answer is no. */
  isBacklogOver(limit: number): boolean {
    return this.#traffic.unansweredBytes > limit && this.backlog > limit;
  }

  send(request: HttpRequest, handler: HttpHandler): HttpExchange {
    const exchange = new Exchange(request, handler, this.#traffic);
    const isDetour = request.isUrgent === true && this.#traffic.running > CONNECTIONS;
    // A connection whose answer has just been read is free in the next turn of the event loop. Asked before, undici opens
    // another one, and a remote server is three round trips further away than it need be.
    if (this.#pool !== undefined && !isDetour) setImmediate(dispatch, exchange, this.#pool);
    else void this.#sendLater(exchange, isDetour);
    return exchange;
  }

  /** Ends every exchange without a word to its handler, and closes the connections. */
  async close(): Promise<void> {
    this.#traffic.isClosed = true;
    await Promise.all([this.#pool?.destroy(), this.#urgentPool?.destroy()]);
  }

  async #sendLater(exchange: Exchange, isDetour: boolean): Promise<void> {
    try {
      const undici = await (this.#undici ??= import('undici'));
      if (this.#traffic.isClosed) exchange.abort();
      else if (isDetour) exchange.dispatch((this.#urgentPool ??= this.#openPool(undici, URGENT_CONNECTIONS)));
      else exchange.dispatch((this.#pool ??= this.#openPool(undici, CONNECTIONS)));
    } catch (cause) {
      exchange.onError(cause instanceof Error ? cause : new Error(String(cause)));
    }
  }

  #openPool({ Pool: UndiciPool, buildConnector }: typeof Undici, connections: number): Pool {
    const { origin, connectTimeoutMs } = this.#traffic;
    const connect = buildConnector({ timeout: connectTimeoutMs, allowH2: false });
    return new UndiciPool(origin, {
      connections,
      pipelining: 1, // a slow call must not hold up those behind it
      maxHeaderSize: HEADER_LIMIT,
      connect: (target, callback) =>
        connect(target, (...outcome) => {
          const socket = outcome[1];
          if (socket) {
            readInPieces(socket);
            this.#sockets.add(socket);
            socket.once('close', () => this.#sockets.delete(socket));
          }
          callback(...outcome);
        }),
    });
  }
}

/**
 * undici goes on through the piece at hand after the headers have passed their limit, and makes an error of each header:
 * ten thousand of them would hold the event loop for a tenth of a second.
 */
function readInPieces(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let written = -1;
  let taken = 0;
  socket.read = (size?: number): Buffer | null => {
    if (socket.destroyed) return null;
    if (size !== undefined || socket.readableLength <= PIECE) return read(size);
    if (socket.bytesWritten !== written) {
      // Something was asked for: what comes now begins with headers.
      written = socket.bytesWritten;
      taken = 0;
    }
    const bytes = read(taken < 2 * HEADER_LIMIT ? PIECE : undefined);
    taken += bytes?.length ?? 0;
    return bytes;
  };
}

const PIECE = 4_096;

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
const HEADER_LIMIT = 16_384;
const CONNECTIONS = 100; // each call that runs holds one, and the machine has few hundred files to give
const URGENT_CONNECTIONS = 8;
const INTERIM_LIMIT = 20; // "early hints" and the like, each of which would restart the wait for headers

/** What the exchanges of one client share. */
interface Traffic {
  readonly origin: string;
  readonly label: string;
  readonly connectTimeoutMs: number;
  /** Exchanges that have not ended. */
  running: number;
  /** Bytes of bodies that no connection has been given yet. */
  waitingBytes: number;
  /** Bytes of bodies of which the server has not shown yet that it has them. */
  unansweredBytes: number;
  isClosed: boolean;
}

function dispatch(exchange: Exchange, pool: Pool): void {
  exchange.dispatch(pool);
}

/**
 * One request as undici sees it. The older set of its callbacks, because the newer one is a layer above them that makes
 * an object of all headers of every response.
 */
class Exchange implements HttpExchange, Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #handler: HttpHandler;
  readonly #traffic: Traffic;
  readonly #bytes: number;
  #state: ExchangeState = 'waiting';
  #abort: ((error?: Error) => void) | undefined;
  #resume: (() => void) | undefined;
  #inflater: Inflater | undefined;
  #interims = 0;

  constructor(request: HttpRequest, handler: HttpHandler, traffic: Traffic) {
    this.#request = request;
    this.#handler = handler;
    this.#traffic = traffic;
    traffic.running++;
    this.#bytes = request.body?.length ?? 0;
    traffic.waitingBytes += this.#bytes;
    traffic.unansweredBytes += this.#bytes;
  }

  dispatch(pool: Pool): void {
    if (this.#state === 'over') return;
    const { method, path, headers, body, headersTimeoutMs } = this.#request;
    pool.dispatch({ method, path, headers, body, headersTimeout: headersTimeoutMs, bodyTimeout: 0 }, this);
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
      if (status === 101) this.#fail('http-failed', 'wants to change the protocol (HTTP 101), which nobody asked for');
      else if (++this.#interims > INTERIM_LIMIT) this.#fail('http-failed', 'keeps announcing an answer (HTTP 1xx)');
      return true;
    }
    this.#state = 'answered';
    this.#traffic.unansweredBytes -= this.#bytes;
    this.#resume = resume;
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
    const error = toHttpError(cause, { ...this.#traffic, state: this.#state, request: this.#request });
    this.#finish();
    if (!this.#traffic.isClosed) this.#handler.failed(error);
  }

  /** False: that coding is unknown, and the handler has been told. */
  #undo(coding: string): boolean {
    if (coding === 'identity') return true;
    this.#inflater = openInflater(coding, {
      data: (bytes) => this.#state === 'over' || this.#handler.data(bytes),
      end: () => this.#end(),
      failed: () => this.#fail('http-failed', `sent a body that is not the ${coding} it claims to be`),
      drained: () => this.#resume?.(),
    });
    if (!this.#inflater) this.#fail('http-failed', 'sent a body in a content coding that nobody offered');
    return this.#inflater !== undefined;
  }

  #end(): void {
    if (this.#state === 'over') return;
    this.#finish();
    this.#handler.end();
  }

  #fail(code: 'http-failed', what: string): void {
    if (this.#state === 'over') return;
    this.abort();
    this.#handler.failed(new HostError(code, `${this.#traffic.label} ${what}`));
  }

  #finish(): void {
    if (this.#state === 'waiting') this.#traffic.waitingBytes -= this.#bytes;
    if (this.#state !== 'answered') this.#traffic.unansweredBytes -= this.#bytes;
    this.#state = 'over';
    this.#traffic.running--;
    this.#inflater?.destroy();
  }
}

type ExchangeState = 'waiting' | 'sent' | 'started' | 'answered' | 'over';

interface Circumstances extends Traffic {
  readonly state: ExchangeState;
  readonly request: HttpRequest;
}

/** Names what went wrong on the network, by code, the one place where that is done. */
function toHttpError(cause: Error, circumstances: Circumstances): HostError {
  const { label, origin, connectTimeoutMs, state, request } = circumstances;
  // undici's parser error has no code, only a name.
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
  // Before anything was sent, another try cannot do anything twice.
  const fail = (what: string, hint?: string): HostError =>
    new HostError(state === 'waiting' ? 'connect-failed' : 'http-failed', `${label} ${what}`, {
      ...(hint !== undefined && { hint }),
      cause,
    });
  switch (code) {
    case 'ECONNREFUSED':
      return fail(`refused the connection at ${origin}`, 'Is it running? Check the host and the port of its URL');
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_NODATA':
    case 'EAI_FAIL':
      return fail(`cannot be found: no address for ${origin} (${code})`, 'Check the host of its URL, and your network');
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return fail(`did not take the connection at ${origin} within ${connectTimeoutMs} ms`, 'Check your network');
    case 'UND_ERR_HEADERS_TIMEOUT': {
      const what = `${label} sent no response headers within ${request.headersTimeoutMs} ms`;
      return new HostError('call-timeout', what, {
        hint: 'Try again, or look at the log of the server and of what stands before it',
        cause,
      });
    }
    case 'UND_ERR_HEADERS_OVERFLOW':
      return fail(`sent more than ${HEADER_LIMIT} bytes of response headers`);
    case 'HTTPParserError':
      if (state === 'answered') return fail('broke off in the middle of its answer, or sent it as broken HTTP');
      return fail(`does not speak HTTP at ${origin}`, 'Check the port of its URL, and http against https');
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return fail('broke off in the middle of its answer: it has not the length that its response headers say');
    case 'UND_ERR_INVALID_ARG':
      return fail('cannot be asked: the request is not valid HTTP', 'Check the URL and the headers of its entry');
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
      if (state === 'waiting') return fail(`closed the connection at ${origin} while it was being made (${code})`);
      if (state === 'answered') return fail(`closed the connection in the middle of its answer (${code})`);
      if (state === 'sent') return fail(`closed the connection without an answer (${code})`);
      // undici says no more of a 101 than that the connection is gone.
      return fail(`broke off within its response headers, or wants to change the protocol by HTTP 101 (${code})`);
    default:
      if (state === 'waiting' && TLS.test(code)) {
        return fail(
          `cannot be trusted at ${origin}: TLS failed (${code})`,
          'Check http against https, and the certificate',
        );
      }
      return fail(`cannot be reached at ${origin} (${code})`, 'Check its URL, and your network');
  }
}

/** OpenSSL's reasons and those of node's own checks. */
const TLS = /^(?:ERR_SSL_|ERR_TLS_|EPROTO$|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_|CRL_|INVALID_)/u;
