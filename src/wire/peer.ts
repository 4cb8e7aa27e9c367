// JSON-RPC 2.0 over a Pipe: https://modelcontextprotocol.io/specification/2025-11-25/basic
import { textRedactor } from '../model/redaction/redact-text.js';
import { HostError } from '../base/errors.js';
import type { Resolvers } from '../base/resolvers.js';
import { isObject, type JsonObject } from '../base/json.js';
import { onAbort } from '../base/on-abort.js';
import { within } from '../base/within.js';
import type { Caller } from '../model/caller.js';
import type { Clock } from '../model/clock.js';
import { mayHaveRun, failureKindOf } from '../model/retries.js';
import { badResponse, readResponse, tooLarge } from './response.js';
import { closeError, withoutSecrets } from './close-error.js';
import { deadlineIn, toTimeout } from './deadline.js';
import { InFlight, NO_DEADLINE, type Pending } from './in-flight.js';
import { Inbound, type ResponderOptions } from './inbound.js';
import type { RequestId } from './message.js';
import type { NegotiatedProtocol, CloseReason, Pipe, PipeWarning, Receiver, RejectedMessage } from './pipe.js';
import type { PeerStats } from './peer-stats.js';
import { type Progress, withProgressToken } from './progress.js';
import { Replies } from './replies.js';
import { isRequestId } from './request-ids.js';
import { shielded } from './shielded.js';
import type { LargeResponseStore, ListRoom, SpillStore } from '../model/spilled.js';

const FORMS = textRedactor(); // for lines on stdout that are no messages: they may hold secrets like stderr

export interface PeerOptions extends ResponderOptions {
  /** The server's name, for messages to the user. */
  readonly name: string;
  readonly clock: Clock;
  /** Removes the server's secrets from its error messages. */
  readonly redact?: ((text: string) => string) | undefined;
  readonly onNotification?: (method: string, params: JsonObject) => void;
  readonly onWarning?: (note: PipeWarning) => void;
}

export interface CallOptions {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The caller that answers what the server asks because of this request. Undefined: the connection's own request. */
  readonly owner?: Caller | undefined;
  /** The request creates a task, which the owner keeps until `endTask`. */
  readonly isTask?: boolean | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Takes a response that is too large for memory. */
  readonly spill?: SpillStore | undefined;
  /** The request is for a list: of a response that is too large for memory its beginning is kept. */
  readonly room?: ListRoom | undefined;
  /** Headers of this request, names and values alternating; for a pipe that has headers. */
  readonly headers?: readonly string[] | undefined;
  /** The lowest level of log messages about this request that the owner wants. */
  readonly logLevel?: string | undefined;
  /** The owner answers `input_required` by itself: it is the result. */
  readonly relaysInput?: boolean | undefined;
}

/** A request without a deadline, open until it is withdrawn: a subscription. */
export interface LongLivedRequest {
  readonly id: RequestId;
  /** The response, which ends the subscription. Rejects with a HostError, at the latest when the pipe closes. */
  readonly answer: Promise<JsonObject>;
  /** Cancels the request, and notifies the server. */
  withdraw(): void;
}

/** One side of a JSON-RPC connection: sends requests and matches responses, and answers the server's requests. */
export class Peer implements Receiver {
  readonly stats: PeerStats = { dropped: 0, malformed: 0, unsolicited: 0, unanswered: 0 };
  readonly closed: Promise<CloseReason>;

  readonly #pipe: Pipe;
  readonly #options: PeerOptions;
  readonly #inFlight: InFlight;
  readonly #inbound: Inbound;
  #onNotification: PeerOptions['onNotification'];
  #era: NegotiatedProtocol['era'] = 'legacy';
  #isEchoNoted = false;
  /** Aborted when the pipe has closed. */
  readonly #closing = new AbortController();
  #end: HostError | undefined;
  /** The close reason as an error for a request of `method`; undefined while the pipe is open. */
  #closeErrorFor: ((method: string) => HostError) | undefined;

  constructor(pipe: Pipe, options: PeerOptions) {
    this.#pipe = pipe;
    this.#options = options;
    this.#onNotification = options.onNotification;
    this.#inFlight = new InFlight({ ...options, expire: (id, pending) => this.#expire(id, pending) });
    const replies = new Replies(pipe, options.clock, () => this.stats.unanswered++);
    this.#inbound = new Inbound({
      ...options,
      ownerOf: (params, origin) => this.#inFlight.ownerOf(params, origin),
      nextOwner: (owner, params, origin) => this.#inFlight.nextOwner(owner, params, origin),
      isGivenUp: (owner, origin) => this.#inFlight.owners.isGivenUp(owner, origin),
      reply: (response) => replies.send(response),
    });
    this.closed = pipe.closed.then((ended) => {
      const reason = withoutSecrets(ended, options.redact);
      this.#end = closeError(reason, options.name);
      this.#inbound.cancelAll();
      const closed = (this.#closeErrorFor = (method: string): HostError => closeError(reason, options.name, method));
      for (const pending of this.#inFlight.takeAll()) pending.ended.reject(closed(pending.method));
      this.#closing.abort(this.#end);
      return reason;
    });
    pipe.open(this);
  }

  get name(): string {
    return this.#options.name;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get isClosed(): boolean {
    return this.#end !== undefined;
  }

  get requests(): Pick<InFlight, 'size' | 'abandoned'> {
    return this.#inFlight;
  }

  /** Sets the negotiated era and version for the pipe and for incoming messages. */
  adopt(agreement: NegotiatedProtocol): void {
    this.#era = agreement.era;
    this.#pipe.adopt(agreement);
  }

  /** Replaces the listener for notifications, at first `options.onNotification`. */
  setNotificationListener(listener: NonNullable<PeerOptions['onNotification']>): void {
    this.#onNotification = listener;
  }

  /** Resolves with the result. Rejects once, with a HostError, at the latest at its deadline. */
  request(method: string, params?: object, options: CallOptions = NO_OPTIONS): Promise<JsonObject> {
    return new Promise((resolve, reject) => this.send(method, params, options, { resolve, reject }));
  }

  /** As `request`; `ended` gets the result or the HostError, at once where nothing can be sent. */
  send(method: string, params: object | undefined, options: CallOptions, ended: Resolvers<JsonObject>): void {
    const { signal, onProgress, headers, logLevel } = options;
    const timeoutMs = toTimeout(options.timeoutMs);
    if (this.#end) return ended.reject(this.#end);
    if (signal?.aborted === true) return ended.reject(this.#cancelled(method));
    const id = this.#inFlight.freeId();
    const pending: Pending = {
      method,
      owner: options.owner,
      isTask: options.isTask === true,
      deadline: this.#options.clock.monotonic() + timeoutMs,
      isExtended: false,
      timeoutMs,
      ended,
      spill: options.spill ?? options.room,
      onProgress,
      listening: undefined,
      progress: -Infinity,
    };
    if (signal) this.#listen(id, pending, signal);
    if (logLevel !== undefined) this.#inFlight.wantLogs(options.owner, logLevel);
    this.#inFlight.add(id, pending);
    const sent = onProgress ? withProgressToken(params, id) : params;
    try {
      this.#pipe.request({ jsonrpc: '2.0', id, method, params: sent }, { timeoutMs, headers });
    } catch (error) {
      this.#inFlight.take(id)?.ended.reject(error);
    }
  }

  /** Sends a request without a deadline. */
  requestLasting(method: string, params: object): LongLivedRequest {
    const id = this.#inFlight.freeId();
    const answer = new Promise<JsonObject>((resolve, reject) => {
      if (this.#end) return reject(this.#end);
      this.#inFlight.add(id, { ...NO_DEADLINE, method, ended: { resolve, reject } });
      return this.#pipe.request({ jsonrpc: '2.0', id, method, params }, { timeoutMs: Infinity });
    });
    const withdraw = (): void => {
      const pending = this.#inFlight.take(id);
      if (!pending) return;
      pending.ended.reject(this.#cancelled(method));
      this.#withdraw(id, pending, { reason: 'no longer wanted', isTimedOut: false });
    };
    return { id, answer, withdraw };
  }

  /** Resolves when the message has been handed to the transport; rejects with a HostError. */
  async notify(method: string, params?: object): Promise<void> {
    if (this.#end) throw this.#end;
    await this.#pipe.notify({ jsonrpc: '2.0', method, params });
  }

  /** Waits for a promise with the timeout, signal and errors of a request, and keeps the process alive meanwhile. */
  async within<Value>(event: Promise<Value>, method: string, options: CallOptions = NO_OPTIONS): Promise<Value> {
    const timeoutMs = toTimeout(options.timeoutMs);
    const fail = (): Promise<never> => Promise.reject(this.#closeErrorFor!(method));
    const whileOpen = within(event, { signal: this.#closing.signal, instead: fail });
    using _ = this.#options.clock.hold();
    return await within(whileOpen, {
      signal: options.signal,
      deadline: deadlineIn(this.#options.clock, timeoutMs),
      instead: (why) => Promise.reject(why === 'aborted' ? this.#cancelled(method) : this.#timedOut(method, timeoutMs)),
    });
  }

  message(message: unknown, origin?: RequestId): boolean {
    // A pipe may still read while it closes; those messages are dropped.
    if (this.#end) return false;
    if (typeof message !== 'object' || message === null) return this.#invalid(origin, 'it is no object');
    if (Array.isArray(message)) return this.#batch(message, origin);
    const { id, method } = message as JsonObject;
    if (method !== undefined) return this.#unasked(message as JsonObject, origin);
    const isPlain = typeof id === 'number' && origin === undefined;
    const own = isPlain ? id : this.#ownId(id, message as JsonObject, origin);
    const pending = own === undefined ? undefined : this.#inFlight.take(own);
    if (!pending) {
      this.stats.dropped++;
      if (own !== undefined) this.#inFlight.owners.settle(own);
      return false;
    }
    const { name: server, redact } = this.#options;
    const answer = readResponse(message as JsonObject, { server, method: pending.method, redact });
    if (answer instanceof HostError) pending.ended.reject(answer);
    else {
      // Before the next message is read, which may already be a request for this task.
      if (pending.isTask) this.#inFlight.owners.beginTask(answer, pending.owner);
      pending.ended.resolve(answer);
    }
    return true;
  }

  refused(refusal: RejectedMessage, origin?: RequestId): void {
    const id =
      typeof origin === 'number'
        ? origin
        : (refusal.ids.find((mentioned) => this.#inFlight.has(mentioned)) ??
          (refusal.isAnswer && refusal.ids.length === 0 ? this.#inFlight.only() : undefined));
    const pending = id === undefined ? undefined : this.#inFlight.take(id);
    if (!pending) {
      this.stats.malformed++;
      return;
    }
    const question = { server: this.#options.name, method: pending.method };
    const isBad = refusal.code === 'bad-answer';
    pending.ended.reject(isBad ? badResponse(question, refusal.reason) : tooLarge(question, refusal));
  }

  failed(id: RequestId, error: HostError): void {
    const pending = this.#inFlight.take(Number(id));
    if (pending && mayHaveRun(failureKindOf(error))) this.#inFlight.owners.abandon(Number(id), pending.owner);
    pending?.ended.reject(error);
  }

  /** Ends the ownership of a task that is over or no longer polled. */
  endTask(task: string): void {
    this.#inFlight.owners.endTask(task);
  }

  warning(note: PipeWarning): void {
    const { denial: _, text, ...rest } = note;
    const told = { ...rest, text: FORMS.redact(this.#options.redact?.(text) ?? text) };
    shielded(() => this.#options.onWarning?.(told));
  }

  isPending(id: RequestId): boolean {
    return this.#inFlight.has(Number(id));
  }

  spillFor(id: RequestId | undefined): LargeResponseStore | undefined {
    return id === undefined ? this.#inFlight.anySpill() : this.#inFlight.get(Number(id))?.spill;
  }

  /** Closes the pipe; requests in flight fail with `connection-closed`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pipe[Symbol.asyncDispose]();
    await this.closed;
  }

  /** The request that a response belongs to. A response on another request's own channel does not count. */
  #ownId(id: unknown, message: JsonObject, origin: RequestId | undefined): number | undefined {
    // Some servers return our id as a string. Our ids are random, so it cannot match another request by chance.
    const own = typeof id === 'number' ? id : typeof id === 'string' && DECIMAL.test(id) ? Number(id) : undefined;
    const { error } = message;
    if (origin === undefined) {
      // A server that could not parse a request sends an error without an id; it belongs to the only request in flight.
      return (id === null || id === undefined) && isObject(error) ? this.#unread(error['code']) : own;
    }
    // Errors of the HTTP layer have no id and arrive on the request's own channel.
    if ((id === null || id === undefined) && error !== undefined) return Number(origin);
    return own === origin ? own : undefined;
  }

  /** Other errors without an id answer one of our notifications, as some servers wrongly do. */
  #unread(code: unknown): number | undefined {
    const only = this.#inFlight.only();
    if (only === undefined || UNREAD.has(code)) return only;
    // Before `server/discover` is answered, no notification has been sent.
    return this.#inFlight.get(only)?.method === 'server/discover' ? only : undefined;
  }

  #batch(messages: readonly unknown[], origin: RequestId | undefined): boolean {
    let isAsked = false;
    for (const message of messages.slice(0, BATCH_LIMIT)) {
      if (Array.isArray(message)) this.stats.malformed++;
      else if (this.message(message, origin)) isAsked = true;
    }
    this.stats.malformed += Math.max(messages.length - BATCH_LIMIT, 0);
    return isAsked;
  }

  #invalid(origin: RequestId | undefined, reason: string): false {
    if (origin === undefined) this.stats.malformed++;
    else this.refused({ code: 'bad-answer', reason, ids: [], isAnswer: true }, origin);
    return false;
  }

  /** Takes a request or a notification of the server. */
  #unasked({ id, method, params, jsonrpc, result, error }: JsonObject, origin: RequestId | undefined): boolean {
    const isAnswer = (result !== undefined || error !== undefined) && (origin === undefined || id === origin);
    if (isAnswer && typeof id === 'number' && this.#inFlight.has(id)) {
      this.refused({ code: 'bad-answer', reason: 'it is a request and an answer at once', ids: [id], isAnswer: true });
      return true;
    }
    if (typeof id === 'number' && this.#inFlight.get(id)?.method === method) return this.#echo();
    this.stats.unsolicited++;
    if (typeof method !== 'string' || jsonrpc !== '2.0') this.stats.malformed++;
    else if (id === undefined) this.#note(method, params, origin);
    // A modern server asks inside its results, and modern clients send no responses.
    else if (isRequestId(id) && this.#era === 'legacy') this.#inbound.take({ id, method, params, origin });
    else this.stats.malformed++;
    return false;
  }

  /** Drops an echoed request: our response would be echoed too, and be taken for the server's. */
  #echo(): false {
    const text = 'it echoes what it is sent; a terminal in between (docker run -t, ssh -t) does that: leave out -t';
    if (!this.#isEchoNoted) this.warning({ kind: 'oddity', text });
    this.#isEchoNoted = true;
    this.stats.malformed++;
    return false;
  }

  #note(method: string, params: unknown, origin: RequestId | undefined): void {
    const object = typeof params === 'object' && params !== null ? (params as JsonObject) : {};
    if (method === 'notifications/progress') this.#inFlight.progress(object);
    else if (method === 'notifications/cancelled' && this.#era === 'legacy') this.#inbound.cancel(object['requestId']);
    else {
      if (method === 'notifications/message') this.#inFlight.log(object, { server: this.name, origin });
      shielded(() => this.#onNotification?.(method, object));
    }
  }

  #listen(id: number, pending: Pending, signal: AbortSignal): void {
    pending.listening = onAbort(signal, () => {
      if (!this.#inFlight.take(id)) return;
      pending.ended.reject(this.#cancelled(pending.method));
      this.#withdraw(id, pending, { reason: 'cancelled by the user', isTimedOut: false });
      this.#inbound.giveUp();
    });
  }

  #expire(id: number, pending: Pending): void {
    const { method, timeoutMs, ended } = pending;
    ended.reject(this.#timedOut(method, timeoutMs));
    this.#withdraw(id, pending, { reason: `no answer within ${timeoutMs} ms`, isTimedOut: true });
  }

  /** Cancels a request at the server; initialize and `server/discover` may not be cancelled. */
  #withdraw(
    id: number,
    { method, owner }: Pending,
    { reason, isTimedOut }: { reason: string; isTimedOut: boolean },
  ): void {
    this.#inFlight.owners.abandon(id, owner);
    if (this.#pipe.abandon(id, { isTimedOut, others: this.#inFlight.size }) || OPENINGS.has(method)) return;
    this.#pipe
      .notify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } })
      .catch(() => {}); // the server goes on, and its late response is dropped
  }

  #timedOut(method: string, timeoutMs: number): HostError {
    const { name } = this.#options;
    return new HostError('call-timeout', `Server "${name}" did not answer ${method} within ${timeoutMs} ms`, {
      hint: 'Give it more time with --timeout MS or "timeout" in its entry',
    });
  }

  #cancelled(method: string): HostError {
    return new HostError('cancelled', `${method} on server "${this.#options.name}" was cancelled`);
  }
}

const OPENINGS: ReadonlySet<string> = new Set(['initialize', 'server/discover']);
const NO_OPTIONS: CallOptions = {};
const BATCH_LIMIT = 1_000; // no server sends more responses at a time than we send requests
const UNREAD: ReadonlySet<unknown> = new Set([-32700, -32600]);
const DECIMAL = /^[1-9]\d{0,9}$/u;
