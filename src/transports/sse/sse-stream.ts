// https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
import { HostError } from '../../base/errors.js';
import type { HttpResponseHandler, HttpHeaders } from '../../edge/network/http-client.js';
import { gateLine } from '../../model/text/text-gate.js';
import { deadline } from '../../wire/deadline.js';
import { SPILL_LIMIT } from '../../wire/message-reader.js';
import { type BodyOwner, EventBody } from '../http/http-body.js';
import { HttpFailure } from '../http/http-failure.js';
import { mediaType } from '../http/error-body.js';
import { BODY_END_TIMEOUT_MS } from '../http/http-limits.js';
import type { HttpContext } from '../http/http-context.js';
import { RedirectedRequest } from '../http/http-redirects.js';
import { SseEndpoint, toEndpointPath } from './sse-endpoint.js';

/** The pipe that the stream belongs to. */
export interface SseStreamOwner {
  /** The endpoint's path has arrived. Nothing more is read until `attach`. */
  endpointReceived(path: string): void;
  /** Bytes have arrived. */
  messageReceived(): void;
  /** The stream has ended or could not be opened. Called once. */
  onStreamLost(error: HostError): void;
}

/** The server's one stream: first its endpoint event, then all messages. */
export class SseStream implements HttpResponseHandler, BodyOwner {
  /** Reading is paused. */
  isHeld = false;
  readonly #owner: SseStreamOwner;
  readonly #trip: RedirectedRequest;
  readonly #endpoint = new SseEndpoint();
  #context: HttpContext;
  #state: 'asked' | 'refused' | 'greeting' | 'greeted' | 'attached' | 'over' = 'asked';
  #failure: HttpFailure | undefined;
  #timer: Disposable | undefined;
  #body: EventBody | undefined;
  /** Bytes that arrived together with the endpoint event. */
  #rest: Buffer = NOTHING;
  #reason: HostError | undefined;
  #isNoted = false;

  constructor(context: HttpContext, owner: SseStreamOwner) {
    this.#context = context;
    this.#owner = owner;
    const { path } = context.session;
    const headers = context.session.streamHeaders('');
    this.#trip = new RedirectedRequest(
      context,
      { method: 'GET', path, headers, body: null, headersTimeoutMs: 0, isLasting: true },
      this,
    );
  }

  get hasBegun(): boolean {
    return this.#state !== 'asked';
  }

  /** Delivers messages to the receiver of this context, from the next turn of the event loop on. */
  attach(context: HttpContext): void {
    if (this.#state !== 'greeted') return;
    this.#state = 'attached';
    this.#context = context;
    const body = new EventBody(context, this, { isShared: true, lastEventId: '' });
    this.#body = body;
    const rest = this.#rest;
    this.#rest = NOTHING;
    context.clock.soon(() => {
      if (this.#state === 'attached' && body.take(rest)) this.#trip.resume();
    });
  }

  /** Ends the stream at once; its owner gets no further callback. */
  close(): void {
    this.#state = 'over';
    this.#timer?.[Symbol.dispose]();
    this.#body?.close();
    this.#trip.abort();
  }

  headers(status: number, headers: HttpHeaders): void {
    const type = mediaType(headers);
    if (status === 200 && type === 'text/event-stream') this.#state = 'greeting';
    else if (status >= 200 && status < 300) this.#lose(this.#notSse(status, type));
    else {
      const failure = new HttpFailure(status, headers, false);
      this.#state = 'refused';
      this.#failure = failure;
      this.#timer = deadline(this.#context.clock, BODY_END_TIMEOUT_MS, () => this.#refuse(failure));
    }
  }

  data(bytes: Buffer): boolean {
    if (this.#body) return this.#take(this.#body, bytes);
    if (this.#state === 'greeting') return this.#readEndpoint(bytes);
    if (this.#failure?.add(bytes) === false) this.#refuse(this.#failure);
    return true;
  }

  end(): void {
    if (this.#body) this.#body.end(undefined);
    else if (this.#failure) this.#refuse(this.#failure);
    else this.#lose(this.#error('ended its event stream before it said where to send messages'));
  }

  failed(error: HostError): void {
    if (this.#body) this.#body.end(error);
    else if (this.#failure) this.#refuse(this.#failure);
    else this.#lose(error);
  }

  resume(): void {
    this.isHeld = false;
    this.#trip.resume();
  }

  stop(): void {
    this.#reason = this.#error(`sent an event of more than ${SPILL_LIMIT / 1_000_000} MB`);
    this.#trip.abort();
  }

  messageDelivered(): void {}

  eventSkipped(name: string): void {
    if (name !== 'endpoint' || this.#isNoted) return;
    this.#isNoted = true;
    this.#context.receiver.warning({ kind: 'oddity', text: 'a second endpoint event, which Plugboard ignores' });
  }

  bodyEnded(error: HostError | undefined): void {
    this.#lose(error ?? this.#reason ?? this.#error('ended its event stream'));
  }

  #take(body: EventBody, bytes: Buffer): boolean {
    this.#owner.messageReceived();
    this.isHeld = !body.take(bytes);
    return !this.isHeld;
  }

  #readEndpoint(bytes: Buffer): boolean {
    const endpoint = this.#endpoint;
    const used = endpoint.take(bytes);
    if (endpoint.fault !== undefined) this.#lose(this.#error(endpoint.fault, NOT_SSE));
    if (endpoint.text === undefined) return true;
    const path = toEndpointPath(endpoint.text, this.#context, this.#trip.path);
    if (path instanceof HostError) {
      this.#lose(path);
      return true;
    }
    this.#rest = bytes.subarray(used);
    this.#state = 'greeted';
    this.#owner.endpointReceived(path);
    return false;
  }

  #refuse(failure: HttpFailure): void {
    const error = failure.error(this.#context);
    const { code, message, detail } = error;
    this.#lose(ELSEWHERE.has(failure.status) ? new HostError(code, message, { hint: NOT_SSE, detail }) : error);
  }

  #notSse(status: number, type: string): HostError {
    if (status !== 200)
      return this.#error(`answered HTTP ${status} where an event stream was expected`, NOT_SSE, status);
    const what = type === '' ? 'without a Content-Type' : `with ${gateLine(type, { limit: 100 }).text}`;
    return this.#error(`answered ${what}: that is not an event stream`, NOT_SSE, status);
  }

  #error(what: string, hint?: string, status?: number): HostError {
    const detail = status === undefined ? undefined : ({ kind: 'http', status } as const);
    return new HostError('http-failed', `${this.#context.label} ${what}`, { hint, detail });
  }

  #lose(error: HostError): void {
    if (this.#state === 'over') return;
    this.close();
    this.#owner.onStreamLost(error);
  }
}

const NOTHING = Buffer.alloc(0);
/** Statuses of servers without an event stream at this URL, or with Streamable HTTP. */
const ELSEWHERE: ReadonlySet<number> = new Set([400, 404, 405, 406]);
const NOT_SSE = 'Check the path of its URL (often /sse), or set its type to http';
