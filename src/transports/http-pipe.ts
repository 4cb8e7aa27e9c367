// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
import { HostError } from '../base/errors.js';
import { HttpClient } from '../edge/http-client.js';
import type { Route } from '../edge/route.js';
import type { Clock } from '../model/clock.js';
import { encode } from '../wire/encode.js';
import type {
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  RequestId,
} from '../wire/message.js';
import type { Agreement, CloseReason, Pipe, Receiver, RequestOptions } from '../wire/pipe.js';
import { Ration } from '../wire/ration.js';
import { HttpCall } from './http-call.js';
import { HttpCalls } from './http-calls.js';
import { HttpNotice } from './http-notice.js';
import type { HttpRoad } from './http-road.js';
import { HttpSession } from './http-session.js';
import { HttpStream } from './http-stream.js';
import { routingHeaders } from './routing-headers.js';

export interface HttpPipeOptions {
  readonly name: string;
  readonly url: string;
  /** As they are sent: secrets revealed. They go to the origin of the URL and nowhere else. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly route?: Route | undefined;
  /** From a request to its response headers, except for what may take as long as the caller wants to wait. */
  readonly headersTimeoutMs?: number;
}

/** Streamable HTTP: every message its own POST, and a GET stream for what the server says unasked. Throws `config-invalid`. */
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
  readonly #notices = new Set<HttpNotice>();
  #road: HttpRoad | undefined;
  #stream: HttpStream | undefined;
  #era: Agreement['era'] = 'legacy';
  #resolveClosed: (reason: CloseReason) => void = () => {};
  #disposal: Promise<void> | undefined;

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
    const { name, clock, headersTimeoutMs = HEADERS_TIMEOUT } = this.#options;
    this.#road = {
      label: `Server "${name}"`,
      clock,
      client: this.#client,
      session: this.#session,
      ration: new Ration(clock),
      receiver,
      headersTimeoutMs,
    };
  }

  request(request: JsonRpcRequest, { timeoutMs, headers }: RequestOptions): void {
    const { id, method } = request;
    const road = this.#road!;
    const body = this.#write(request);
    if (body instanceof HostError) return road.receiver.failed(id, body);
    const isHandshake = method === 'initialize';
    if (isHandshake) this.#forgetSession();
    const isModern = this.#era === 'modern';
    const headersTimeoutMs = PATIENT.has(method) ? toFinite(timeoutMs) : road.headersTimeoutMs;
    const options = { id, isHandshake, canResume: !isModern, body, headersTimeoutMs, calls: this.#calls };
    if (!isModern) return new HttpCall(road, options).start(this.#session.postHeaders);
    return new HttpCall(road, options).start([...this.#session.postHeaders, ...routingHeaders(request, headers)]);
  }

  notify(message: JsonRpcNotification | JsonRpcResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      const body = this.#write(message);
      if (body instanceof HostError) return reject(body);
      const notice: HttpNotice = new HttpNotice(this.#road!, body, (error) => {
        this.#notices.delete(notice);
        if (error) reject(error);
        else resolve();
      });
      this.#notices.add(notice);
      const { postHeaders } = this.#session;
      const isModern = this.#era === 'modern' && 'method' in message;
      return notice.start(isModern ? [...postHeaders, ...routingHeaders(message)] : postHeaders);
    });
  }

  abandon(id: RequestId): boolean {
    this.#calls.find(id)?.abandon();
    return this.#era === 'modern';
  }

  /** The Authorization header from now on. False: that is no value of a header. */
  authorize(value: string): boolean {
    return this.#session.authorize(value);
  }

  adopt({ era, version }: Agreement): void {
    this.#era = era;
    // A modern server knows no sessions; one from a greeting that came to nothing is not spoken of.
    if (era === 'modern') this.#session.reset();
    this.#session.adopt(version);
  }

  listen(): void {
    this.#stream?.close();
    if (this.#era === 'modern' || this.#disposal) return;
    this.#stream = new HttpStream(this.#road!);
    this.#stream.open();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#disposal ??= this.#dispose());
  }

  /** The bytes of a message, or why it is not sent. */
  #write(message: JsonRpcMessage): Buffer | HostError {
    const { name } = this.#options;
    if (this.#disposal) return new HostError('connection-closed', `The connection to server "${name}" was closed`);
    if (this.#client.isBacklogOver(BACKLOG_LIMIT)) {
      const waiting = `${this.#client.backlog} bytes are waiting`;
      return new HostError('overloaded', `Server "${name}" does not take what it is sent: ${waiting}`);
    }
    try {
      return Buffer.from(encode(message));
    } catch (error) {
      return error as HostError;
    }
  }

  #forgetSession(): void {
    this.#era = 'legacy';
    this.#session.reset();
    this.#stream?.close();
  }

  async #dispose(): Promise<void> {
    this.#resolveClosed({ kind: 'disposed' });
    this.#stream?.close();
    this.#calls.close();
    for (const notice of this.#notices) notice.close();
    if (this.#session.id !== undefined) await this.#endSession();
    await this.#client.close();
  }

  /** A courtesy: whatever comes back, or nothing, the session is over for us. */
  #endSession(): Promise<void> {
    const { path } = this.#session;
    const headers = this.#session.deleteHeaders();
    return new Promise((resolve) => {
      const timer = this.#options.clock.after(GOODBYE, resolve);
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
/** What may rightly take long; the caller says how long, and the peer sees to it. */
const PATIENT: ReadonlySet<string> = new Set([
  'tools/call',
  'resources/read',
  'prompts/get',
  'subscriptions/listen',
  'tasks/result',
]);
const BACKLOG_LIMIT = 16_000_000;
const GOODBYE = 2_000;

/** For ever is 0 there. */
function toFinite(ms: number): number {
  return Number.isFinite(ms) ? Math.max(ms, 0) : 0;
}
