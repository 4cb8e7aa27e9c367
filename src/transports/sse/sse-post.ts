// https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
import { HostError } from '../../base/errors.js';
import type { HttpResponseHandler, HttpHeaders, HttpRequest } from '../../edge/network/http-client.js';
import { deadline } from '../../wire/deadline.js';
import type { RequestId } from '../../wire/message.js';
import { type BodyOwner, JsonBody } from '../http/http-body.js';
import { HttpFailure } from '../http/http-failure.js';
import { mediaType } from '../http/error-body.js';
import { BODY_END_TIMEOUT_MS, SKIPPED_BODY_BYTES } from '../http/http-limits.js';
import type { HttpContext } from '../http/http-context.js';
import { RedirectedRequest } from '../http/http-redirects.js';
import type { SsePosts } from './sse-posts.js';

/** The sender of a message: a request, or a one-way message whose `settle` is called once with the outcome. */
export type SseSender =
  | { readonly kind: 'request'; readonly id: RequestId }
  | { readonly kind: 'notice'; readonly settle: (error: HostError | undefined) => void };

/** The POST of one message. HTTP says only whether it was accepted; the JSON-RPC response comes on the stream. */
export class SsePost implements HttpResponseHandler, BodyOwner {
  /** The index in `SsePosts`, which alone changes it. */
  place = -1;
  readonly sender: SseSender;
  readonly #posts: SsePosts;
  readonly #trip: RedirectedRequest;
  readonly #isLong: boolean;
  #headers: HttpHeaders | undefined;
  #body: JsonBody | undefined;
  #failure: HttpFailure | undefined;
  #timer: Disposable | undefined;
  #skipped = 0;
  #isOver = false;
  #isOverdue = false;

  constructor(posts: SsePosts, request: HttpRequest, sender: SseSender) {
    this.#posts = posts;
    this.sender = sender;
    this.#isLong = request.body !== null && request.body.length > LONG;
    this.#trip = new RedirectedRequest(posts.context, request, this);
  }

  /** Ends the POST at once. A request's caller gets no error here, but learns of the end of the stream. */
  close(): void {
    if (this.#isOver) return;
    const { sender } = this;
    this.#leave();
    if (sender.kind === 'notice')
      sender.settle(new HostError('connection-closed', `The connection to ${this.#context.label} was closed`));
  }

  /** Called at intervals. A POST that no caller needs any more has until the next call to end by itself. */
  look(): void {
    if (this.#isWaitedFor()) return;
    if (this.#isOverdue) this.#leave();
    this.#isOverdue = true;
  }

  headers(status: number, headers: HttpHeaders): void {
    this.#headers = headers;
    if (status >= 200 && status < 300) {
      const { sender } = this;
      if (sender.kind === 'notice') sender.settle(undefined);
      return;
    }
    const failure = new HttpFailure(status, headers, false);
    this.#failure = failure;
    // A server that refuses a long message may never read the rest, which would block the next message.
    if (this.#isLong && headers.get('content-length') === '0') this.#refuse(failure);
    else this.#timer = deadline(this.#context.clock, BODY_END_TIMEOUT_MS, () => this.#refuse(failure));
  }

  data(bytes: Buffer): boolean {
    if (this.#body) return this.#body.take(bytes);
    if (this.#failure) {
      if (!this.#failure.add(bytes) || this.#isLong) this.#refuse(this.#failure);
      return true;
    }
    const { sender } = this;
    if (this.#skipped === 0 && sender.kind === 'request' && mediaType(this.#headers!) === 'application/json') {
      this.#body = new JsonBody(this.#posts.bodyContext, this, sender.id);
      return this.#body.take(bytes);
    }
    this.#skipped += bytes.length;
    if (this.#skipped > SKIPPED_BODY_BYTES) this.#leave();
    return true;
  }

  end(): void {
    if (this.#body) this.#body.end(undefined);
    else if (this.#failure) this.#refuse(this.#failure);
    else this.#finish(undefined);
  }

  failed(error: HostError): void {
    if (this.#body) this.#body.end(error);
    else if (this.#failure) this.#refuse(this.#failure);
    // After the message was accepted, the rest of the HTTP response does not matter.
    else this.#finish(this.#headers === undefined ? error : undefined);
  }

  resume(): void {
    this.#trip.resume();
  }

  stop(): void {
    this.#trip.abort();
  }

  messageDelivered(): void {}

  bodyEnded(error: HostError | undefined): void {
    this.#finish(error);
  }

  get #context(): HttpContext {
    return this.#posts.context;
  }

  #isWaitedFor(): boolean {
    const { sender } = this;
    if (this.#failure) return true;
    if (this.#headers !== undefined && this.#body === undefined) return false;
    return sender.kind === 'notice' || this.#context.receiver.isPending(sender.id);
  }

  #refuse(failure: HttpFailure): void {
    if (this.#isOver) return;
    const { sender } = this;
    const answer = sender.kind === 'request' ? failure.answer(this.#context) : undefined;
    // The JSON-RPC error of an HTTP layer has no id, or this request's id; the receiver matches it by the channel.
    if (answer && sender.kind === 'request') this.#context.receiver.message(answer, sender.id);
    this.#trip.abort();
    this.#finish(toPostError(failure, this.#context));
  }

  #leave(): void {
    this.#trip.abort();
    this.#finish(undefined);
  }

  #finish(error: HostError | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    this.#body?.close();
    this.#posts.remove(this);
    const { sender } = this;
    if (error === undefined) return;
    if (sender.kind === 'notice') sender.settle(error);
    else this.#context.receiver.failed(sender.id, error);
  }
}

const LONG = 65_536; // bytes; as much as the buffers on the way hold

/** The server named this endpoint itself; when it is gone, the server has lost the session of the stream. */
function toPostError(failure: HttpFailure, context: HttpContext): HostError {
  const error = failure.error(context);
  const detail = { kind: 'http', status: failure.status } as const;
  switch (failure.status) {
    case 404:
    case 410:
      return new HostError('http-failed', `${error.message}; it no longer knows this connection`, {
        hint: 'Connect to the server again',
        detail,
      });
    case 405:
      return new HostError('http-failed', `${error.message}, at the endpoint that it named`, {
        hint: 'Look at the log of the server',
        detail,
      });
    default:
      return error;
  }
}
