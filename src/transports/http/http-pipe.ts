// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
import { HostError } from '../../base/errors.js';
import { within } from '../../base/within.js';
import { HttpClient } from '../../edge/network/http-client.js';
import type { Route } from '../../edge/network/route.js';
import type { Clock } from '../../model/clock.js';
import type { RequestCredentials } from '../../model/credentials.js';
import { deadline } from '../../wire/deadline.js';
import { encode } from '../../wire/json/encode.js';
import type {
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  RequestId,
} from '../../wire/message.js';
import type {
  AbandonReason,
  NegotiatedProtocol,
  CloseReason,
  Pipe,
  Receiver,
  RequestOptions,
} from '../../wire/pipe.js';
import { UnsolicitedLimit } from '../../wire/unsolicited-limit.js';
import { HttpCall } from './http-call.js';
import { HttpCalls } from './http-calls.js';
import { HttpOneWayPost } from './http-one-way-post.js';
import { LAST_MESSAGE_TIMEOUT_MS } from './http-limits.js';
import type { HttpContext } from './http-context.js';
import { HttpSession } from './http-session.js';
import { HttpStream } from './http-stream.js';
import { overload } from './overload.js';
import { routingHeaders } from './routing-headers.js';

export interface HttpPipeOptions {
  readonly name: string;
  readonly url: string;
  /** With secrets revealed. Sent to the origin of the URL only. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly route?: Route | undefined;
  /** Milliseconds from a request to its response headers; `SLOW_METHODS` have no such limit. */
  readonly headersTimeoutMs?: number;
}

/** Streamable HTTP: one POST per message, and a GET stream for unsolicited messages. Throws `config-invalid`. */
export function openHttpPipe(options: HttpPipeOptions): HttpPipe {
  return new HttpPipe(options);
}

export class HttpPipe implements Pipe {
  readonly losesSessions = true;
  readonly hasHeaders = true;
  readonly closed: Promise<CloseReason>;
  readonly #options: HttpPipeOptions;
  readonly #session: HttpSession;
  readonly #client: HttpClient;
  readonly #calls = new HttpCalls();
  readonly #oneWayPosts = new Set<HttpOneWayPost>();
  #context: HttpContext | undefined;
  #stream: HttpStream | undefined;
  #era: NegotiatedProtocol['era'] = 'legacy';
  #resolveClosed: (reason: CloseReason) => void = () => {};
  #disposal: Promise<void> | undefined;
  #onQuiet: (() => void) | undefined;
  #renew: HttpContext['renew'] | undefined;

  constructor(options: HttpPipeOptions) {
    this.#options = options;
    const { name, url, headers = {}, route } = options;
    this.#session = new HttpSession({ name, url, headers });
    this.#client = new HttpClient({ origin: this.#session.origin, label: `Server "${name}"`, route });
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
  }

  get backlog(): number {
    return this.#client.backlog;
  }

  open(receiver: Receiver): void {
    const { clock, headersTimeoutMs = HEADERS_TIMEOUT } = this.#options;
    this.#context = {
      label: this.#client.label,
      clock,
      client: this.#client,
      session: this.#session,
      unsolicitedLimit: new UnsolicitedLimit(clock),
      receiver,
      headersTimeoutMs,
      renew: async (denial) => (await this.#renew?.(denial)) === true,
    };
  }

  request(request: JsonRpcRequest, { timeoutMs, headers }: RequestOptions): void {
    const { id, method } = request;
    const context = this.#context!;
    const body = this.#write(request);
    if (body instanceof HostError) return context.receiver.failed(id, body);
    const isHandshake = method === 'initialize';
    if (isHandshake) this.#forgetSession();
    const isModern = this.#era === 'modern';
    const headersTimeoutMs = SLOW_METHODS.has(method) ? 0 : context.headersTimeoutMs;
    const isLasting = timeoutMs === Infinity;
    const options = { id, isHandshake, canResume: !isModern, isLasting, body, headersTimeoutMs, calls: this.#calls };
    const session = this.#session;
    const sent = isModern ? [...session.statelessHeaders, ...routingHeaders(request, headers)] : session.postHeaders;
    return new HttpCall(context, options).start(session.proven('POST', session.path, sent));
  }

  notify(message: JsonRpcNotification | JsonRpcResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      const body = this.#write(message);
      if (body instanceof HostError) return reject(body);
      const notice: HttpOneWayPost = new HttpOneWayPost(this.#context!, body, (error) => {
        this.#oneWayPosts.delete(notice);
        if (this.#oneWayPosts.size === 0) this.#onQuiet?.();
        if (error) reject(error);
        else resolve();
      });
      this.#oneWayPosts.add(notice);
      const session = this.#session;
      const isModern = this.#era === 'modern' && 'method' in message;
      const sent = isModern ? [...session.statelessHeaders, ...routingHeaders(message)] : session.postHeaders;
      return notice.start(session.proven('POST', session.path, sent));
    });
  }

  abandon(id: RequestId, why: AbandonReason): boolean {
    this.#calls.find(id)?.abandon(why);
    return this.#era === 'modern';
  }

  /** Sets the credentials of later requests. Returns false, and changes nothing, if they are invalid as headers. */
  setCredentials(credentials: RequestCredentials): boolean {
    return this.#session.setCredentials(credentials);
  }

  renewWith(renew: HttpContext['renew']): void {
    this.#renew = renew;
  }

  adopt({ era, version }: NegotiatedProtocol): void {
    this.#era = era;
    this.#session.adopt(version);
  }

  listen(): void {
    this.#stopListening();
    if (this.#era === 'modern' || this.#disposal) return;
    // Opened before any other request: the server's unsolicited messages during the first call come here or are lost.
    this.#stream = new HttpStream(this.#context!);
    this.#stream.open();
  }

  #stopListening(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#disposal ??= this.#dispose());
  }

  /** Returns the message as bytes, or the error why it cannot be sent. */
  #write(message: JsonRpcMessage): Buffer | HostError {
    const { name } = this.#options;
    if (this.#disposal) return new HostError('connection-closed', `The connection to server "${name}" was closed`);
    try {
      const body = Buffer.from(encode(message));
      return overload({ label: `Server "${name}"`, backlog: this.#client.backlogAbout, length: body.length }) ?? body;
    } catch (error) {
      return error as HostError;
    }
  }

  #forgetSession(): void {
    this.#era = 'legacy';
    this.#session.reset();
    this.#stopListening();
  }

  async #dispose(): Promise<void> {
    this.#resolveClosed({ kind: 'disposed' });
    this.#stopListening();
    this.#calls.close();
    // Ends the session last: without it the server cannot relate pending notifications to anything.
    if (this.#oneWayPosts.size > 0) await this.#flushNotifications();
    for (const notice of this.#oneWayPosts) notice.close();
    if (this.#session.id !== undefined && this.#era === 'legacy') await this.#endSession();
    await this.#client.close();
  }

  /** Waits for notifications being sent: a cancellation is often followed at once by the end of the connection. */
  #flushNotifications(): Promise<void> {
    const quiet = new Promise<void>((resolve) => (this.#onQuiet = resolve));
    return within(quiet, {
      deadline: (expire) => this.#options.clock.after(LAST_MESSAGE_TIMEOUT_MS, expire),
      instead: () => {},
    });
  }

  /** A courtesy to the server: its response, or its silence, is ignored. */
  #endSession(): Promise<void> {
    const { path } = this.#session;
    const headers = this.#session.deleteHeaders();
    return new Promise((resolve) => {
      const timer = deadline(this.#options.clock, DELETE_TIMEOUT_MS, resolve);
      const over = (): void => {
        timer[Symbol.dispose]();
        resolve();
      };
      const request = { method: 'DELETE', path, headers, body: null, headersTimeoutMs: 0 } as const;
      this.#client.send(request, { headers: over, data: () => true, end: over, failed: over });
    });
  }
}

const HEADERS_TIMEOUT = 60_000;
/** Slow methods: `Peer` enforces the caller's timeout, because undici's timers fire up to a second early. */
const SLOW_METHODS: ReadonlySet<string> = new Set([
  'tools/call',
  'resources/read',
  'prompts/get',
  'subscriptions/listen',
  'tasks/result',
]);
const DELETE_TIMEOUT_MS = 1_000;
