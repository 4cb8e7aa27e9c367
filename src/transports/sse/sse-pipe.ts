// https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
import { HostError } from '../../base/errors.js';
import { onAbort } from '../../base/on-abort.js';
import { HttpClient } from '../../edge/network/http-client.js';
import type { RequestCredentials } from '../../model/credentials.js';
import { deadline } from '../../wire/deadline.js';
import { encode, encodeRequest } from '../../wire/json/encode.js';
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, RequestId } from '../../wire/message.js';
import type { AbandonReason, NegotiatedProtocol, CloseReason, Receiver } from '../../wire/pipe.js';
import { UnsolicitedLimit } from '../../wire/unsolicited-limit.js';
import type { CredentialsAwarePipe } from '../credentials-pipe.js';
import type { HttpContext } from '../http/http-context.js';
import type { HttpPipeOptions } from '../http/http-pipe.js';
import { HttpSession } from '../http/http-session.js';
import { Liveness } from '../liveness.js';
import { overload } from '../http/overload.js';
import { SsePosts } from './sse-posts.js';
import { SseStream, type SseStreamOwner } from './sse-stream.js';

/** `headersTimeoutMs`: until the stream's endpoint event, and from a notification to its response headers. */
export interface SsePipeOptions extends HttpPipeOptions {
  /** Credentials, in place of the entry's headers of the same names. */
  readonly identity?: RequestCredentials | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * HTTP+SSE of 2024-11-05: one stream for all messages of the server, and a POST for each message to the endpoint that
 * the stream names. Resolves when the endpoint is known; rejects with a HostError, leaving nothing open.
 */
export async function openSsePipe(options: SsePipeOptions): Promise<CredentialsAwarePipe> {
  const pipe = new SsePipe(options);
  try {
    await pipe.endpointReady(options.signal);
    return pipe;
  } catch (error) {
    await pipe[Symbol.asyncDispose]();
    throw error;
  }
}

class SsePipe implements CredentialsAwarePipe, SseStreamOwner {
  readonly losesSessions = false;
  readonly hasHeaders = false;
  readonly closed: Promise<CloseReason>;
  readonly #options: SsePipeOptions;
  readonly #session: HttpSession;
  readonly #client: HttpClient;
  #context: HttpContext;
  #stream: SseStream | undefined;
  #posts: SsePosts | undefined;
  #liveness: Liveness | undefined;
  #pings = 0;
  #path = '';
  #endOpening: (error?: HostError) => void = () => {};
  #resolveClosed: (reason: CloseReason) => void = () => {};
  #disposal: Promise<void> | undefined;

  constructor(options: SsePipeOptions) {
    const { name, url, headers = {}, identity, clock, route, headersTimeoutMs = HEADERS_TIMEOUT } = options;
    const label = `Server "${name}"`;
    const session = new HttpSession({ name, url, headers });
    if (identity) session.setCredentials(identity);
    const client = new HttpClient({ origin: session.origin, label, route });
    this.#options = options;
    this.#session = session;
    this.#client = client;
    this.#context = {
      label: client.label,
      clock,
      client,
      session,
      unsolicitedLimit: new UnsolicitedLimit(clock),
      receiver: NOBODY,
      headersTimeoutMs,
      renew: async () => false, // a refused or ended stream closes the connection
    };
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
  }

  /** Opens the stream and waits for its endpoint event. */
  endpointReady(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(this.#cancelled());
      const listening = onAbort(signal, () => this.#endOpening(this.#cancelled()));
      const { clock, headersTimeoutMs } = this.#context;
      const timer = deadline(clock, headersTimeoutMs, () => this.#endOpening(this.#endpointTimeout()));
      this.#endOpening = (error) => {
        timer[Symbol.dispose]();
        listening?.[Symbol.dispose]();
        if (error) reject(error);
        else resolve();
      };
      this.#stream = new SseStream(this.#context, this);
      return undefined;
    });
  }

  get backlog(): number {
    return this.#client.backlog;
  }

  /** Sets the credentials of later requests. Returns false, and changes nothing, if they are invalid as headers. */
  setCredentials(credentials: RequestCredentials): boolean {
    return this.#session.setCredentials(credentials);
  }

  endpointReceived(path: string): void {
    this.#path = path;
    this.#endOpening();
  }

  messageReceived(): void {
    this.#liveness?.messageReceived();
  }

  onStreamLost(error: HostError): void {
    this.#endOpening(error);
    this.#disposal ??= this.#close({ kind: 'lost', error });
  }

  open(receiver: Receiver): void {
    this.#context = { ...this.#context, receiver };
    this.#posts = new SsePosts(this.#context);
    this.#stream?.attach(this.#context);
    const { clock, label } = this.#context;
    this.#liveness = new Liveness({
      clock,
      silenceMs: Infinity,
      responseTimeoutMs: Infinity,
      isHeld: () => this.#stream?.isHeld === true,
      ask: () => this.#ping(),
      dead: (waitedMs) => {
        const text = `${label} accepts messages, but sent nothing on its event stream for ${waitedMs / 1000} s, not even an answer to a ping`;
        this.onStreamLost(
          new HostError('connection-closed', text, {
            hint: 'Check any proxy in front of the server, and connect again',
          }),
        );
      },
    });
  }

  request(request: JsonRpcRequest): void {
    const { id, method } = request;
    // A new handshake starts without the version of an earlier one.
    if (method === 'initialize') this.#session.reset();
    const body = this.#write(() => encodeRequest(request));
    if (body instanceof HostError) return this.#context.receiver.failed(id, body);
    const headers = this.#session.proven('POST', this.#path, this.#session.postHeaders);
    // No headers timeout: the response on the stream ends the wait for the POST, and so does the peer's deadline.
    const post = { method: 'POST', path: this.#path, headers, body, headersTimeoutMs: 0 } as const;
    return this.#posts!.send(post, { kind: 'request', id });
  }

  notify(message: JsonRpcNotification | JsonRpcResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      const body = this.#write(() => encode(message));
      if (body instanceof HostError) return reject(body);
      const { headersTimeoutMs } = this.#context;
      const headers = this.#session.proven('POST', this.#path, this.#session.postHeaders);
      const post = { method: 'POST', path: this.#path, headers, body, headersTimeoutMs, isUrgent: true } as const;
      const settle = (error: HostError | undefined): void => (error ? reject(error) : resolve());
      return this.#posts!.send(post, { kind: 'notice', settle });
    });
  }

  abandon(id: RequestId, why: AbandonReason): boolean {
    this.#posts?.abandon(id);
    this.#liveness?.onUnanswered(why);
    return false;
  }

  adopt({ version }: NegotiatedProtocol): void {
    if (version >= FIRST_WITH_VERSION_HEADER) this.#session.adopt(version);
  }

  listen(): void {}

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#disposal ??= this.#close({ kind: 'disposed' }));
  }

  /** Returns the message as bytes, or the error why it cannot be sent. */
  #write(toText: () => string): Buffer | HostError {
    const { name } = this.#options;
    if (this.#disposal) return new HostError('connection-closed', `The connection to server "${name}" is closed`);
    try {
      const body = Buffer.from(toText());
      return overload({ label: `Server "${name}"`, backlog: this.#client.backlogAbout, length: body.length }) ?? body;
    } catch (error) {
      return error as HostError;
    }
  }

  /** Its response needs no handler: any incoming byte proves that the connection lives. */
  #ping(): void {
    const body = this.#write(() => encodeRequest({ jsonrpc: '2.0', id: `ping-${++this.#pings}`, method: 'ping' }));
    if (body instanceof HostError) return;
    const headers = this.#session.proven('POST', this.#path, this.#session.postHeaders);
    const post = {
      method: 'POST',
      path: this.#path,
      headers,
      body,
      headersTimeoutMs: PING_MS,
      isUrgent: true,
    } as const;
    this.#posts!.send(post, { kind: 'notice', settle: () => {} });
  }

  #endpointTimeout(): HostError {
    const { label, headersTimeoutMs } = this.#context;
    const what = this.#stream?.hasBegun === true ? 'did not say where to send messages' : 'sent no response headers';
    return new HostError('connect-timeout', `${label} ${what} within ${headersTimeoutMs} ms`, {
      hint: 'Check the path of its URL (often /sse), or set its type to http',
    });
  }

  #cancelled(): HostError {
    return new HostError('cancelled', `Connecting to server "${this.#options.name}" was cancelled`);
  }

  async #close(reason: CloseReason): Promise<void> {
    this.#resolveClosed(reason);
    this.#liveness?.stop();
    // The stream last: without it the server cannot relate the pending POSTs to a session.
    await this.#posts?.close();
    this.#stream?.close();
    await this.#client.close();
  }
}

/** A receiver that drops everything; used until `open`, before which the stream delivers no messages. */
const NOBODY: Receiver = {
  message: () => false,
  refused() {},
  failed() {},
  warning() {},
  isPending: () => false,
  spillFor: () => undefined,
};

const HEADERS_TIMEOUT = 60_000;
const PING_MS = 10_000;
/** The first revision with the MCP-Protocol-Version header. */
const FIRST_WITH_VERSION_HEADER = '2025-06-18';
