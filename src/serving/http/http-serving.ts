import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../model/clock.js';
import type { Endpoint } from '../endpoint.js';
import { ParkedCalls } from '../modern/parked-calls.js';
import { RequestStates } from '../modern/request-state.js';
import type { Seals } from '../seal.js';
import { EventLogs } from './event-log.js';
import { type AllowedPlaces, checkHead, corsHeaders, preflightHeaders } from './gates.js';
import { McpRoute } from './mcp-route.js';
import { Pipelines } from './pipelines.js';
import { answerOrFail, failRequest, refuseRequest } from './refuse-request.js';
import { OpenStreams } from './open-streams.js';
import { BodyReader } from './read-body.js';
import { HttpSessions } from './sessions.js';
import { MESSAGES_PATH, SSE_PATH, SseRoute } from './sse-route.js';

export interface HttpServingOptions {
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly wall: () => number;
  readonly seals: Seals;
  /** The hosts and origins that are answered. */
  readonly places: AllowedPlaces;
  /** Who sends the request. Contract: must not throw. */
  readonly authenticate: (request: IncomingMessage) => Identity | Promise<Identity>;
  /** What a path serves to a principal: the same object for the same path, query and principal, while it is used. */
  readonly endpointOf: (path: string, query: URLSearchParams, principal: string) => Endpoint | undefined;
  /** Whether calls of modern clients may wait between two requests for answers; asked each time. Default: yes. */
  readonly parks?: (() => boolean) | undefined;
  /** Milliseconds after which an open response becomes an event stream; asked for each. Default: 1000. */
  readonly streamAfterMs?: (() => number | undefined) | undefined;
  /** Milliseconds that a client may read nothing of what waits for it. Default: 60000. */
  readonly unreadMs?: number;
  /** Whether clients of 2024 are served at `/sse`, too. Default: false. */
  readonly sse?: boolean;
  /** Called for each request when it is over. Contract: must not throw. */
  readonly onRequest?: ((request: HandledRequest) => void) | undefined;
}

/** Who sends a request, or why it is refused. */
export type Identity =
  | { readonly kind: 'principal'; readonly principal: string }
  | {
      readonly kind: 'refused';
      readonly status: 401 | 403;
      readonly message: string;
      readonly headers: readonly string[];
    };

/** What is known of a request when it is over; never its content. */
export interface HandledRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** The request's own `X-Request-Id`, which its answer has in any case, or a new one. */
  readonly requestId: string;
}

/** Serves endpoints over Streamable HTTP, in both eras: the caller has the listener of `node:http`. */
export class HttpServing implements AsyncDisposable {
  readonly #options: HttpServingOptions;
  readonly #bodies: BodyReader;
  readonly #events: EventLogs;
  readonly #streams: OpenStreams;
  readonly #parked = new ParkedCalls();
  readonly #pipelines: Pipelines;
  readonly #route: McpRoute;
  readonly #sse: SseRoute | undefined;
  #isDraining = false;

  constructor(options: HttpServingOptions) {
    this.#options = options;
    const { clock, wall, seals, parks = () => true, streamAfterMs } = options;
    this.#pipelines = new Pipelines(clock);
    this.#bodies = new BodyReader(clock);
    this.#events = new EventLogs(clock);
    this.#streams = new OpenStreams(clock, () => streamAfterMs?.() ?? STREAM_AFTER_MS, options.unreadMs);
    const services = { clock, states: new RequestStates(seals, wall), parked: this.#parked, parks };
    const shared = { bodies: this.#bodies, streams: this.#streams, services };
    this.#route = new McpRoute({ ...shared, events: this.#events, sessions: new HttpSessions({ seals, wall }) });
    this.#sse = options.sse === true ? new SseRoute(shared) : undefined;
  }

  /** Whether it takes new sessions: what `/readyz` says. */
  get isReady(): boolean {
    return !this.#isDraining;
  }

  /** Requests in flight, with open streams. */
  get open(): number {
    return this.#streams.size;
  }

  /** For `node:http`: answers one request. */
  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    // Without a socket of its own it was sent before the answer to an earlier one.
    if (response.socket === null) return this.#pipelines.wait(request, response, () => this.handle(request, response));
    return answerOrFail(response, () => this.#answer(request, response));
  };

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { onRequest, clock } = this.#options;
    const given = givenRequestId(request);
    if (given !== undefined && !onRequest) response.setHeader(REQUEST_ID_HEADER, given);
    if (onRequest) {
      const began = clock.monotonic();
      const requestId = given ?? randomUUID();
      response.setHeader(REQUEST_ID_HEADER, requestId);
      response.on('close', () => {
        const { method = '', url = '' } = request;
        const path = toPath(url).slice(0, PATH_LIMIT);
        onRequest({ requestId, method, path, status: response.statusCode, ms: clock.monotonic() - began });
      });
    }
    const { url = '/' } = request;
    const refusal = checkHead(request, this.#options.places);
    if (refusal) return refuseRequest(response, refusal.status, refusal.message);
    const preflight = preflightHeaders(request);
    if (preflight) return void response.writeHead(204, preflight).end();
    const path = toPath(url);
    if (path === '/healthz') return answerText(response, 200, 'ok');
    if (path === '/readyz') return answerText(response, this.isReady ? 200 : 503, this.isReady ? 'ready' : 'draining');
    const identity = this.#options.authenticate(request);
    if (!(identity instanceof Promise)) return this.#handleOf(identity, request, response);
    return void identity.then(
      (known) => answerOrFail(response, () => this.#handleOf(known, request, response)),
      () => failRequest(response),
    );
  }

  /**
   * Stops taking new sessions, tells streams when to come back, and waits for requests in flight, at most this long.
   * `onWait` is told how many, if there are any. Never rejects.
   */
  async drain(ms: number, onWait?: (requests: number) => void): Promise<void> {
    this.#isDraining = true;
    const isOver = this.#route.drain(ms, onWait);
    this.#sse?.end();
    await isOver;
    this.#parked.cancelAll();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDraining = true;
    this.#parked.cancelAll();
    this.#route.end();
    this.#sse?.end();
    this.#bodies[Symbol.dispose]();
    this.#events[Symbol.dispose]();
    this.#streams[Symbol.dispose]();
  }

  #handleOf(identity: Identity, request: IncomingMessage, response: ServerResponse): void {
    const cors = corsHeaders(request);
    if (identity.kind === 'refused') {
      return refuseRequest(response, identity.status, identity.message, [...identity.headers, ...cors]);
    }
    const { url = '/' } = request;
    const path = toPath(url);
    const { principal } = identity;
    const query = path === url ? NO_QUERY : new URLSearchParams(url.slice(path.length));
    const taken = { request, response, principal, path: url, cors, isDraining: this.#isDraining };
    if (this.#sse && path === MESSAGES_PATH) return this.#sse.take(taken, query.get('session'));
    const isSse = this.#sse !== undefined && (path === SSE_PATH || path.startsWith(`${SSE_PATH}/`));
    const served = isSse ? `/mcp${path.slice(SSE_PATH.length)}` : path;
    const endpoint = this.#options.endpointOf(served, query, principal);
    if (!endpoint) return refuseRequest(response, 404, NOTHING_HERE, cors);
    return isSse ? this.#sse?.open({ ...taken, endpoint }) : this.#route.handle({ ...taken, endpoint });
  }
}

function answerText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, ['Content-Type', 'text/plain', 'Cache-Control', 'no-store']);
  response.end(`${text}\n`);
}

/** The id that a proxy or the client has given the request. */
function givenRequestId({ headers }: IncomingMessage): string | undefined {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : undefined;
}

function toPath(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
}

const NO_QUERY = new URLSearchParams();
const STREAM_AFTER_MS = 1_000;
const REQUEST_ID_HEADER = 'X-Request-Id';
const REQUEST_ID = /^[\w.:=+/-]{1,100}$/u;
const PATH_LIMIT = 200; // characters
const NOTHING_HERE = 'Nothing is served at this address: the path, or the value of "tools", is unknown';
