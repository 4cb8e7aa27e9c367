// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
import { HostError } from '../../base/errors.js';
import type { HttpResponseHandler, HttpHeaders } from '../../edge/network/http-client.js';
import { gateLine } from '../../model/text/text-gate.js';
import { deadline } from '../../wire/deadline.js';
import type { RequestId } from '../../wire/message.js';
import type { AbandonReason, RejectedMessage } from '../../wire/pipe.js';
import { toBackoff } from './http-backoff.js';
import { type BodyOwner, EventBody, type HttpBody, JsonBody } from './http-body.js';
import type { HttpCalls } from './http-calls.js';
import { HttpFailure } from './http-failure.js';
import { mediaType } from './error-body.js';
import { BODY_END_TIMEOUT_MS } from './http-limits.js';
import type { HttpContext } from './http-context.js';
import { RedirectedRequest } from './http-redirects.js';
import { SUSPICIOUS } from '../liveness.js';

export interface HttpCallOptions {
  readonly id: RequestId;
  readonly isHandshake: boolean;
  /** Whether a broken response stream may be resumed. */
  readonly canResume: boolean;
  readonly body: Buffer;
  readonly headersTimeoutMs: number;
  /** The request has no end of its own; it lasts until it is abandoned. */
  readonly isLasting: boolean;
  /** The list that this call adds itself to and removes itself from. */
  readonly calls: HttpCalls;
}

/** One request: its POST, its response as JSON or as a stream, and the streams that resume a broken one. */
export class HttpCall implements HttpResponseHandler, BodyOwner {
  /** The index in `HttpCalls`, which alone changes it. */
  place = -1;
  readonly #context: HttpContext;
  readonly #options: HttpCallOptions;
  readonly #hadSession: boolean;
  #trip: RedirectedRequest | undefined;
  #body: HttpBody | undefined;
  #failure: HttpFailure | undefined;
  #timer: Disposable | undefined;
  #state: 'asking' | 'resuming' | 'answered' | 'over' = 'asking';
  #isEmpty = true;
  #startedAt = 0;
  #lastEventId = '';
  #retryMs: number | undefined;
  /** Streams in a row that brought no new event id. */
  #idleStreams = 0;
  /** The credentials have been renewed since the response stream was last resumed. */
  #isRenewed = false;
  /** The number of events that are no valid messages, and the refusal of the last one. */
  #malformedEvents = 0;
  #malformed: RejectedMessage | undefined;

  constructor(context: HttpContext, options: HttpCallOptions) {
    this.#context = context;
    this.#options = options;
    this.#hadSession = context.session.id !== undefined;
  }

  get id(): RequestId {
    return this.#options.id;
  }

  start(headers: string[]): void {
    this.place = this.#options.calls.add(this);
    this.#startedAt = this.#context.clock.monotonic();
    const context = this.#context;
    const { path } = context.session;
    const { body, headersTimeoutMs, isLasting } = this.#options;
    this.#trip = new RedirectedRequest(
      context,
      { method: 'POST', path, headers, body, headersTimeoutMs, isLasting },
      this,
    );
  }

  /** Stops waiting. A response that has arrived may end its stream by itself, so that the connection is reused. */
  abandon({ isTimedOut }: AbandonReason): void {
    const { client, clock } = this.#context;
    const isSilent = isTimedOut && this.#state === 'asking' && this.#trip?.isUnanswered === true;
    if (isSilent && clock.monotonic() - this.#startedAt >= SUSPICIOUS) client.replaceIdleConnections();
    if (this.#state !== 'answered') this.close();
  }

  /** Ends the call at once; the receiver gets no further callback. */
  close(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#timer?.[Symbol.dispose]();
    this.#body?.close();
    this.#trip?.abort();
    this.#options.calls.remove(this);
  }

  headers(status: number, headers: HttpHeaders): void {
    if (this.#state === 'over') return;
    if (status >= 200 && status < 300) this.#accept(status, headers);
    else if (this.#state !== 'resuming') this.#expectFailure(new HttpFailure(status, headers, this.#hadSession));
    else if (status === 401 && !this.#isRenewed) void this.#resumeRenewed(new HttpFailure(status, headers, false));
    else this.#cannotResume(status);
  }

  data(bytes: Buffer): boolean {
    this.#isEmpty = false;
    if (this.#body) return this.#body.take(bytes);
    if (this.#failure?.add(bytes) === false) this.#refuse(this.#failure);
    return true;
  }

  end(): void {
    if (this.#body) this.#body.end(undefined);
    else if (this.#failure) this.#refuse(this.#failure);
  }

  failed(error: HostError): void {
    if (this.#body) this.#body.end(error);
    else if (this.#failure) this.#refuse(this.#failure);
    else if (this.#state === 'resuming') this.#resumeLater(error);
    else this.#fail(error);
  }

  resume(): void {
    this.#trip?.resume();
  }

  stop(): void {
    this.#trip?.abort();
  }

  messageDelivered(): void {
    const { receiver, clock } = this.#context;
    if (this.#state === 'answered' || this.#state === 'over' || receiver.isPending(this.#options.id)) return;
    this.#state = 'answered';
    this.#timer?.[Symbol.dispose]();
    this.#timer = clock.after(BODY_END_TIMEOUT_MS, () => this.close());
  }

  malformed(refusal: RejectedMessage, start: string): boolean {
    const { receiver, clock } = this.#context;
    this.#malformed = refusal;
    if (++this.#malformedEvents > MALFORMED_LIMIT) return false;
    if (this.#malformedEvents <= MALFORMED_NOTED) {
      const shown = gateLine(start, { limit: MALFORMED_SHOWN }).text;
      const text = `an event that is not a message was skipped (${refusal.reason}): ${shown}`;
      receiver.warning({ kind: 'oddity', text });
    }
    // An event that looks like the response may have been it: then no other follows, and the stream may never end.
    if (this.#state === 'asking' && LIKE_AN_ANSWER.test(start)) {
      this.#timer ??= clock.after(BODY_END_TIMEOUT_MS, () => this.#failMalformed(refusal));
    }
    return true;
  }

  bodyEnded(error: HostError | undefined): void {
    if (!this.#context.receiver.isPending(this.#options.id)) this.close();
    else if (this.#body instanceof EventBody) this.#resumeLater(error);
    else
      this.#fail(
        error ?? this.#error(this.#isEmpty ? 'answered with an empty body' : 'answered, but not this request'),
      );
  }

  #accept(status: number, headers: HttpHeaders): void {
    const { id, isHandshake } = this.#options;
    const { session } = this.#context;
    if (isHandshake && this.#state === 'asking' && !session.accept(headers.get('mcp-session-id'))) {
      this.#fail(
        new HostError(
          'bad-answer',
          `${this.#context.label} gave a session id that is not 1 to 1024 visible characters`,
        ),
      );
      return;
    }
    if (status !== 200) {
      const hint = 'The server may use the older SSE transport: set its type to sse';
      this.#fail(this.#error(`accepted the request and sends no answer to it (HTTP ${status})`, { status, hint }));
      return;
    }
    this.#isRenewed = false;
    const type = mediaType(headers);
    const lastEventId = this.#lastEventId;
    if (type === 'text/event-stream') this.#body = new EventBody(this.#context, this, { origin: id, lastEventId });
    else if (type === 'application/json') this.#body = new JsonBody(this.#context, this, id);
    else this.#fail(this.#notMcp(type));
  }

  /** Waits at most `BODY_END_TIMEOUT_MS` for the body of an error response. */
  #expectFailure(failure: HttpFailure): void {
    this.#failure = failure;
    this.#timer = deadline(this.#context.clock, BODY_END_TIMEOUT_MS, () => this.#refuse(failure));
  }

  #refuse(failure: HttpFailure): void {
    if (this.#state === 'over') return;
    const { receiver } = this.#context;
    const { id } = this.#options;
    const answer = failure.answer(this.#context);
    // The JSON-RPC error of an HTTP layer has no id, or this request's id; the receiver matches it by the channel.
    if (answer) receiver.message(answer, id);
    if (receiver.isPending(id)) this.#fail(failure.error(this.#context));
    else this.close();
  }

  /** Resumes the response by a GET, after a delay. The server has accepted the POST, so it is not sent again. */
  #resumeLater(error: HostError | undefined): void {
    const reached = this.#body?.lastEventId ?? this.#lastEventId;
    this.#idleStreams = reached === this.#lastEventId ? this.#idleStreams + 1 : 0;
    this.#lastEventId = reached;
    this.#retryMs = this.#body?.retryMs ?? this.#retryMs;
    this.#body = undefined;
    if (reached === '' || !this.#options.canResume || this.#idleStreams > IDLE_STREAMS) {
      if (this.#malformed && !error) return this.#failMalformed(this.#malformed);
      this.#fail(error ?? this.#error('ended the event stream without an answer'));
      return;
    }
    this.#state = 'resuming';
    this.#timer?.[Symbol.dispose]();
    const wait = toBackoff(this.#idleStreams, this.#retryMs);
    this.#timer = this.#context.clock.after(wait, () => this.#resume());
  }

  #resume(): void {
    const { session } = this.#context;
    const headers = session.streamHeaders(this.#lastEventId);
    this.#trip = new RedirectedRequest(
      this.#context,
      { method: 'GET', path: session.path, headers, body: null, headersTimeoutMs: 0 },
      this,
    );
  }

  /** Resumes with renewed credentials, since a token may expire while a response is on its way. */
  async #resumeRenewed(failure: HttpFailure): Promise<void> {
    this.#isRenewed = true;
    this.#trip?.abort();
    const { detail } = failure.error(this.#context);
    const { challenge, nonce } = detail?.kind === 'http' ? detail : {};
    const isRenewed = await this.#context.renew({ status: failure.status, challenge, nonce });
    if (this.#state !== 'resuming') return;
    if (isRenewed) this.#resume();
    else this.#cannotResume(failure.status);
  }

  /** Fails the call with the malformed event that must have been its response, since no other event came. */
  #failMalformed(refusal: RejectedMessage): void {
    const { receiver } = this.#context;
    const { id } = this.#options;
    if (this.#state === 'over' || !receiver.isPending(id)) return;
    this.close();
    receiver.refused({ ...refusal, isAnswer: true }, id);
  }

  #cannotResume(status: number): void {
    this.#trip?.abort();
    // Without `status`: HTTP errors on resuming do not answer the call, which was accepted and may have run.
    const error = this.#error(`broke off its answer and cannot resume it (HTTP ${status})`);
    // A proxy in front of the server may recover from 5xx and 429; any other status is final.
    if (status >= 500 || status === 429) this.#resumeLater(error);
    else this.#fail(error);
  }

  #notMcp(type: string): HostError {
    const what = type === '' ? 'without a Content-Type' : `with ${gateLine(type, { limit: 100 }).text}`;
    return this.#error(`answered ${what}: that is not an MCP endpoint`, {
      status: 200,
      hint: 'Check the path of its URL',
    });
  }

  #error(what: string, { status, hint }: { readonly status?: number; readonly hint?: string } = {}): HostError {
    const detail = status === undefined ? undefined : ({ kind: 'http', status } as const);
    return new HostError('http-failed', `${this.#context.label} ${what}`, { hint, detail });
  }

  #fail(error: HostError): void {
    if (this.#state === 'over') return;
    this.close();
    this.#context.receiver.failed(this.#options.id, error);
  }
}

const IDLE_STREAMS = 5;
const MALFORMED_LIMIT = 1_000; // a stream with more malformed events is hopeless
const MALFORMED_NOTED = 5;
const MALFORMED_SHOWN = 120;
const LIKE_AN_ANSWER = /"(?:result|error)"\s*:/u;
