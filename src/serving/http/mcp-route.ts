// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LinkedList } from '../../base/collections/linked-list.js';
import { pause } from '../../base/pause.js';
import { MODERN_VERSIONS } from '../../wire/eras/envelope.js';
import { LEGACY_VERSIONS } from '../../wire/eras/legacy-versions.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import type { RequestId } from '../../wire/message.js';
import { UNSUPPORTED_VERSION } from '../../wire/rpc-codes.js';
import { BatchOutlet, NOWHERE, wantsResponse } from '../batch-outlet.js';
import type { Endpoint } from '../endpoint.js';
import { type Incoming, type RequestMessage, toIncoming } from '../incoming.js';
import { toAgreement } from '../legacy/agreement.js';
import { LegacyClient } from '../legacy/legacy-client.js';
import { takeLegacyMessage, toInitializeResult } from '../legacy/legacy-messages.js';
import { SessionRecord } from '../legacy/session-record.js';
import { isModern, readEnvelope, type RequestEnvelope, unsupportedVersion } from '../modern/envelope.js';
import { ModernClients } from '../modern/modern-client.js';
import { type ModernExchange, takeModernRequest } from '../modern/modern-messages.js';
import type { ModernServices } from '../modern/modern-request.js';
import { INVALID_REQUEST, resultResponseText } from '../outgoing.js';
import { hasBatches, isPrimed } from '../revision/revisions.js';
import type { LegacyRequest } from '../legacy/legacy-request.js';
import { AbandonedRequests } from './abandoned-requests.js';
import type { EventLogs } from './event-log.js';
import { HttpOutlet } from './http-outlet.js';
import { answerOrFail, answerWithError, failRequest, refuseRequest } from './refuse-request.js';
import type { McpExchange } from './mcp-exchange.js';
import type { OpenStreams } from './open-streams.js';
import { compareHeaders, type MarkedArgument } from './param-headers.js';
import type { Body, BodyReader } from './read-body.js';
import { SessionStreams } from './session-streams.js';
import type { HttpSessions } from './sessions.js';

export interface McpRouteOptions {
  readonly bodies: BodyReader;
  readonly streams: OpenStreams;
  readonly events: EventLogs;
  readonly sessions: HttpSessions;
  readonly services: ModernServices;
}

/** Answers POST, GET and DELETE of an endpoint; which era a request speaks, its content says. */
export class McpRoute {
  readonly #options: McpRouteOptions;
  readonly #clients = new WeakMap<Endpoint, ModernClients>();
  /** What modern requests in flight have become. */
  readonly #exchanges = new LinkedList<ModernExchange>();
  readonly #sessionStreams: SessionStreams;
  readonly #abandoned: AbandonedRequests;

  constructor(options: McpRouteOptions) {
    this.#options = options;
    const { events, streams, services } = options;
    this.#sessionStreams = new SessionStreams({ events, streams, clock: services.clock });
    this.#abandoned = new AbandonedRequests(services.clock);
  }

  handle(exchange: McpExchange): void {
    const { request, response } = exchange;
    switch (request.method) {
      case 'POST':
        void this.#options.bodies
          .read(request)
          .then((body) => answerOrFail(response, () => this.#post(exchange, body)));
        return;
      case 'GET':
        return this.#get(exchange);
      case 'DELETE':
        return this.#delete(exchange);
      case undefined:
      default:
        return refuseRequest(response, 405, 'An endpoint takes POST, GET and DELETE', [
          'Allow',
          ALLOWED,
          ...exchange.cors,
        ]);
    }
  }

  /** Ends streams, so that clients connect again elsewhere, and waits for requests: `onWait` is told how many. */
  async drain(ms: number, onWait?: (requests: number) => void): Promise<void> {
    const { streams, services } = this.#options;
    this.#sessionStreams.drain();
    for (const exchange of this.#exchanges.values()) exchange.close?.();
    const { requests } = streams;
    if (requests > 0) onWait?.(requests);
    const { clock } = services;
    const until = clock.monotonic() + ms;
    while (streams.requests > 0 && clock.monotonic() < until) await pause(DRAIN_LOOK_MS, { clock });
  }

  /** Ends everything. */
  end(): void {
    this.#abandoned[Symbol.dispose]();
    this.#sessionStreams.endAll();
    for (const exchange of this.#exchanges.values()) exchange.gone();
    for (const client of this.#options.sessions.open) {
      for (const running of client.running.values()) running.cancel();
    }
  }

  #post(exchange: McpExchange, body: Body): void {
    const { request, response, cors } = exchange;
    if (body.kind === 'gone' || response.destroyed) return;
    if (body.kind === 'refused') {
      const close = body.mustClose ? ['Connection', 'close'] : [];
      return answerWithError(response, body.status, body, [...close, ...cors]);
    }
    const accept = readAccept(request.headers.accept);
    if (!accept)
      return refuseRequest(response, 406, 'The Accept header has neither application/json nor text/event-stream', cors);
    const taken: TakenPost = { ...exchange, accept };
    if (Array.isArray(body.value)) return this.#batch(taken, body.value);
    const message = toIncoming(body.value);
    if (message.kind === 'invalid') {
      return answerWithError(response, 400, { code: INVALID_REQUEST, message: message.why }, cors, message.id);
    }
    if (message.kind !== 'response' && this.#isModern(request, message)) return this.#modern(taken, message);
    if (message.kind === 'request' && message.method === 'initialize') return this.#initialize(taken, message);
    const client = this.#session(taken);
    return client && this.#legacy(taken, client, message);
  }

  #isModern(
    { headers }: IncomingMessage,
    { method, params }: Exclude<Incoming, { kind: 'response' | 'invalid' }>,
  ): boolean {
    if (isModern(params)) return true;
    const version = headers['mcp-protocol-version'];
    // Such a request has forgotten its envelope, and is told so.
    return typeof version === 'string' && method !== 'initialize' && isModernVersion(version);
  }

  #modern(taken: TakenPost, message: Exclude<Incoming, { kind: 'response' | 'invalid' }>): void {
    const { response, endpoint, cors } = taken;
    const id = message.kind === 'request' ? message.id : null;
    const envelope = readEnvelope(message.params);
    // A version that is not served is told only where header and body agree on it.
    const isUnserved = envelope instanceof JsonRpcFailure && envelope.code === UNSUPPORTED_VERSION;
    if (envelope instanceof JsonRpcFailure && !isUnserved) return answerWithError(response, 400, envelope, cors, id);
    const tool = message.method === 'tools/call' ? message.params['name'] : undefined;
    const marked = typeof tool === 'string' ? endpoint.mirrored(tool) : NO_MARKS;
    if (!(marked instanceof Promise)) return this.#compared(taken, message, { envelope, marked });
    return void marked.then((known) =>
      answerOrFail(response, () => {
        if (!response.destroyed) this.#compared(taken, message, { envelope, marked: known });
      }),
    );
  }

  #compared(
    taken: TakenPost,
    message: Exclude<Incoming, { kind: 'response' | 'invalid' }>,
    { envelope, marked }: { envelope: RequestEnvelope | JsonRpcFailure; marked: readonly MarkedArgument[] },
  ): void {
    const { request, response, endpoint, principal, path, cors } = taken;
    const id = message.kind === 'request' ? message.id : null;
    const { method, params } = message;
    const { rawHeaders } = request;
    const mismatch = compareHeaders({ rawHeaders, method, params, marked });
    if (mismatch) {
      return answerWithError(response, 400, mismatch, cors, id);
    }
    if (envelope instanceof JsonRpcFailure) return answerWithError(response, 400, envelope, cors, id);
    if (message.kind === 'notification') return void response.writeHead(202, [...cors]).end();
    if (method === 'subscriptions/listen' && !taken.accept.stream)
      return refuseRequest(
        response,
        406,
        'A subscription is an event stream, and Accept has no text/event-stream',
        cors,
      );
    if (method === 'subscriptions/listen' && taken.isDraining) return refuseWhileDraining(response, cors, id);
    let clients = this.#clients.get(endpoint);
    if (!clients) this.#clients.set(endpoint, (clients = new ModernClients()));
    const session = request.headers['plugboard-session'];
    const client = clients.of(principal, typeof session === 'string' ? session : undefined, envelope);
    const outlet = this.#outlet(taken, { isSubscription: method === 'subscriptions/listen' });
    const { services } = this.#options;
    const taking = takeModernRequest(message, { client, endpoint, path, envelope, services, outlet });
    if (!taking) return undefined;
    const place = this.#exchanges.add(taking);
    response.on('close', () => place[Symbol.dispose]());
    outlet.onGone(() => {
      taking.gone();
      return undefined;
    });
    return undefined;
  }

  #initialize(taken: TakenPost, { id, params }: RequestMessage): void {
    const { response, endpoint, principal, path, cors, isDraining } = taken;
    if (isDraining) return refuseWhileDraining(response, cors, id);
    const agreement = toAgreement(params, principal);
    const session = this.#options.sessions.create(agreement, path);
    const client = new LegacyClient(agreement, endpoint, new SessionRecord());
    const outlet = this.#outlet(taken, { headers: ['Mcp-Session-Id', session] });
    toInitializeResult(client, endpoint)
      .then((result) => outlet.reply(resultResponseText(id, JSON.stringify(result))))
      .catch(() => failRequest(response));
    return undefined;
  }

  /** The session that the request names; undefined where it was refused. */
  #session({ request, response, endpoint, principal, path, cors }: McpExchange): LegacyClient | undefined {
    const { 'mcp-session-id': id, 'mcp-protocol-version': version } = request.headers;
    if (typeof id !== 'string' || id === '') {
      const why = 'The request has neither an Mcp-Session-Id nor the _meta of 2026-07-28: send initialize first';
      answerWithError(response, 400, { code: REFUSED, message: why }, cors);
      return undefined;
    }
    if (typeof version === 'string' && !(LEGACY_VERSIONS as readonly string[]).includes(version)) {
      answerWithError(response, 400, unsupportedVersion(version), cors);
      return undefined;
    }
    const client = this.#options.sessions.find(id, { principal, path, endpoint });
    if (!client) answerWithError(response, 404, { code: SESSION_NOT_FOUND, message: 'Session not found' }, cors);
    return client;
  }

  #legacy(taken: TakenPost, client: LegacyClient, message: Incoming): void {
    const { response, cors } = taken;
    if (message.kind !== 'request') {
      takeLegacyMessage(client, message, NOWHERE);
      return void response.writeHead(202, [...cors]).end();
    }
    const outlet = this.#outlet(taken, { client });
    const running = takeLegacyMessage(client, message, outlet);
    if (running) this.#abandonable(outlet, client, [running]);
    return undefined;
  }

  #batch(taken: TakenPost, values: readonly unknown[]): void {
    const { response, cors } = taken;
    const client = this.#session(taken);
    if (!client) return;
    if (!hasBatches(client.revision) || values.length === 0 || values.length > BATCH_LIMIT) {
      const why = `Batches belong to 2025-03-26, with 1 to ${BATCH_LIMIT} messages`;
      return answerWithError(response, 400, { code: INVALID_REQUEST, message: why }, cors);
    }
    const messages = values.map(toIncoming);
    if (!wantsResponse(messages)) {
      for (const message of messages) takeLegacyMessage(client, message, NOWHERE);
      return void response.writeHead(202, [...cors]).end();
    }
    const outlet = this.#outlet(taken, { client });
    const batch = new BatchOutlet(
      (text) => outlet.reply(text),
      (text) => outlet.send(text),
    );
    const running = messages.flatMap((message) => {
      const isAnswered = message.kind === 'request' || message.kind === 'invalid';
      return takeLegacyMessage(client, message, isAnswered ? batch.part(message.id) : NOWHERE) ?? [];
    });
    this.#abandonable(outlet, client, running);
    return batch.close();
  }

  /** A legacy client that lost its connection may come back for the response; for a while the requests go on. */
  #abandonable(outlet: HttpOutlet, { principal }: LegacyClient, running: readonly LegacyRequest[]): void {
    outlet.onGone(() => {
      const gone = this.#options.services.clock.monotonic();
      return this.#abandoned.add({
        principal,
        unreadSince: () => (outlet.events ? outlet.events.unreadSince : gone),
        cancel: () => running.forEach((request) => request.cancel()),
      });
    });
  }

  #get(exchange: McpExchange): void {
    const { request, response, cors } = exchange;
    const accept = readAccept(request.headers.accept);
    // Without a session there is no stream: in the modern era there never is.
    if (request.headers['mcp-session-id'] === undefined) {
      return refuseRequest(response, 405, 'A stream is opened by GET with an Mcp-Session-Id', [
        'Allow',
        'POST',
        ...cors,
      ]);
    }
    if (accept?.stream !== true)
      return refuseRequest(response, 406, 'The Accept header has no text/event-stream', cors);
    const client = this.#session(exchange);
    if (!client) return;
    const last = request.headers['last-event-id'];
    const opening = { client, response, headers: cors, last: typeof last === 'string' ? last : undefined };
    const opened = this.#sessionStreams.open(opening);
    if (opened === 'draining') return refuseWhileDraining(response, cors);
    if (opened === 'opened') return;
    const why = 'There is no such event, or what followed is no longer kept';
    answerWithError(response, 404, { code: SESSION_NOT_FOUND, message: why }, cors);
  }

  #delete(exchange: McpExchange): void {
    const { request, response, cors } = exchange;
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string') {
      return refuseRequest(response, 405, 'DELETE ends the session of an Mcp-Session-Id', ['Allow', 'POST', ...cors]);
    }
    const client = this.#session(exchange);
    if (!client) return;
    this.#options.sessions.delete(id, client);
    this.#sessionStreams.end(client);
    response.writeHead(204, [...cors]).end();
  }

  #outlet(
    { response, accept, cors }: TakenPost,
    {
      client,
      headers = [],
      isSubscription = false,
    }: { readonly client?: LegacyClient; readonly headers?: readonly string[]; readonly isSubscription?: boolean } = {},
  ): HttpOutlet {
    const { streams, events } = this.#options;
    return new HttpOutlet({
      response,
      headers: [...headers, ...cors],
      takesStream: accept.stream,
      takesOnlyStream: !accept.json,
      streams,
      isPrimed: client !== undefined && isPrimed(client.revision),
      isSubscription,
      openEvents: client && (() => events.open(client.owner)),
    });
  }
}

function refuseWhileDraining(response: ServerResponse, cors: readonly string[], id: RequestId | null = null): void {
  const failure = { code: REFUSED, message: 'The gateway is about to end: connect again in a moment' };
  answerWithError(response, 503, failure, ['Retry-After', '1', ...cors], id);
}

interface TakenPost extends McpExchange {
  readonly accept: Accept;
}

interface Accept {
  readonly json: boolean;
  readonly stream: boolean;
}

/** What a client takes; undefined where it takes nothing that we send. Without the header: JSON. */
function readAccept(header: string | undefined): Accept | undefined {
  if (header === undefined) return JSON_ONLY;
  if (header === 'application/json, text/event-stream') return BOTH;
  const types = header.slice(0, ACCEPT_LIMIT).toLowerCase();
  const isAny = types.includes('*/*');
  const json = isAny || types.includes('application/json') || types.includes('application/*');
  const stream = isAny || types.includes('text/event-stream') || types.includes('text/*');
  return json || stream ? { json, stream } : undefined;
}

function isModernVersion(version: string): boolean {
  return (MODERN_VERSIONS as readonly string[]).includes(version);
}

const BOTH: Accept = { json: true, stream: true };
const JSON_ONLY: Accept = { json: true, stream: false };
const ALLOWED = 'POST, GET, DELETE';
const ACCEPT_LIMIT = 1_000; // characters
const BATCH_LIMIT = 100;
const NO_MARKS: readonly MarkedArgument[] = [];
const REFUSED = -32000;
const SESSION_NOT_FOUND = -32001;
const DRAIN_LOOK_MS = 20;
