// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
import { HostError } from '../../base/errors.js';
import type { HttpResponseHandler, HttpHeaders } from '../../edge/network/http-client.js';
import { HttpFailure } from './http-failure.js';
import { mediaType } from './error-body.js';
import { BODY_END_TIMEOUT_MS, SKIPPED_BODY_BYTES } from './http-limits.js';
import type { HttpContext } from './http-context.js';
import { RedirectedRequest } from './http-redirects.js';

/** The POST of a message without a response: a notification, or our response to a server's request. */
export class HttpOneWayPost implements HttpResponseHandler {
  readonly #context: HttpContext;
  readonly #settle: (error: HostError | undefined) => void;
  readonly #hadSession: boolean;
  readonly #body: Buffer;
  #trip: RedirectedRequest | undefined;
  #failure: HttpFailure | undefined;
  #isSettled = false;
  #skipped = 0;
  #timer: Disposable | undefined;

  /** `settle` is called once: when the server has accepted the message, or with the error. */
  constructor(context: HttpContext, body: Buffer, settle: (error: HostError | undefined) => void) {
    this.#context = context;
    this.#settle = settle;
    this.#body = body;
    this.#hadSession = context.session.id !== undefined;
  }

  start(headers: string[]): void {
    const { session, headersTimeoutMs } = this.#context;
    const { path } = session;
    const request = { method: 'POST', path, headers, body: this.#body, headersTimeoutMs, isUrgent: true } as const;
    this.#trip = new RedirectedRequest(this.#context, request, this);
  }

  close(): void {
    this.#leave();
    this.#finish(new HostError('connection-closed', `The connection to ${this.#context.label} was closed`));
  }

  headers(status: number, headers: HttpHeaders): void {
    // The body answers nothing, so it is not waited for long.
    this.#timer = this.#context.clock.after(BODY_END_TIMEOUT_MS, () => this.#giveUp());
    if (status < 200 || status > 299) this.#failure = new HttpFailure(status, headers, this.#hadSession);
    else {
      if (mediaType(headers) === 'text/event-stream') this.#leave();
      this.#finish(undefined);
    }
  }

  data(bytes: Buffer): boolean {
    this.#skipped += bytes.length;
    const isEnough = this.#failure ? !this.#failure.add(bytes) : this.#skipped > SKIPPED_BODY_BYTES;
    if (isEnough) this.#giveUp();
    return true;
  }

  end(): void {
    this.#timer?.[Symbol.dispose]();
    this.#finish(this.#failure?.error(this.#context));
  }

  failed(error: HostError): void {
    this.#timer?.[Symbol.dispose]();
    this.#finish(this.#failure?.error(this.#context) ?? error);
  }

  #giveUp(): void {
    this.#leave();
    this.#finish(this.#failure?.error(this.#context));
  }

  #leave(): void {
    this.#timer?.[Symbol.dispose]();
    this.#trip?.abort();
  }

  #finish(error: HostError | undefined): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#settle(error);
  }
}
