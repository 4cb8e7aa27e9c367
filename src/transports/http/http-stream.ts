// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
import type { HostError } from '../../base/errors.js';
import type { HttpResponseHandler, HttpHeaders } from '../../edge/network/http-client.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { PipeWarning } from '../../wire/pipe.js';
import { toBackoff } from './http-backoff.js';
import { type BodyOwner, EventBody } from './http-body.js';
import { HttpFailure } from './http-failure.js';
import { mediaType } from './error-body.js';
import { SKIPPED_BODY_BYTES } from './http-limits.js';
import type { HttpContext } from './http-context.js';
import { RedirectedRequest } from './http-redirects.js';
import { toRetryAfter } from '../../edge/network/retry-after.js';

/** The stream for unsolicited messages. A server need not offer one, and no request waits for it. */
export class HttpStream implements HttpResponseHandler, BodyOwner {
  readonly #context: HttpContext;
  #trip: RedirectedRequest | undefined;
  #body: EventBody | undefined;
  #timer: Disposable | undefined;
  #isClosed = false;
  #openedAt = 0;
  #lastEventId = '';
  #retryMs: number | undefined;
  /** Bytes of an unwanted body that were skipped; undefined unless the body is unwanted. */
  #skipped: number | undefined;
  /** Attempts in a row that brought nothing. */
  #failures = 0;
  /** The stream was open for at least `QUICK` ms once. */
  #hasLasted = false;

  constructor(context: HttpContext) {
    this.#context = context;
  }

  open(): void {
    const { session, clock } = this.#context;
    this.#openedAt = clock.monotonic();
    const headers = session.streamHeaders(this.#lastEventId);
    // No headers timeout: a server may hold back even the headers until it has a message to send.
    const request = {
      method: 'GET',
      path: session.path,
      headers,
      body: null,
      headersTimeoutMs: 0,
      isLasting: true,
    } as const;
    this.#trip = new RedirectedRequest(this.#context, request, this);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.[Symbol.dispose]();
    this.#body?.close();
    this.#trip?.abort();
  }

  headers(status: number, headers: HttpHeaders): void {
    const type = mediaType(headers);
    if (status === 200 && type === 'text/event-stream') {
      this.#body = new EventBody(this.#context, this, { lastEventId: this.#lastEventId });
      return;
    }
    if (status === 405) {
      // The server offers no stream. Its body is read so that the connection can be reused.
      this.#isClosed = true;
      this.#skipped = 0;
      return;
    }
    this.#trip?.abort();
    if (status === 401 || status === 403) this.#refused(new HttpFailure(status, headers, false).error(this.#context));
    else if (status >= 500) this.#reopenLater(`HTTP ${status}`);
    else if (status === 429) {
      const asked = toRetryAfter(headers);
      if (asked !== undefined) this.#retryMs = Math.min(asked, LONGEST_WAIT);
      this.#reopenLater('HTTP 429');
    } else this.#giveUp(status === 200 ? `it is of type "${gateLine(type, { limit: 100 }).text}"` : `HTTP ${status}`);
  }

  data(bytes: Buffer): boolean {
    if (this.#skipped !== undefined && (this.#skipped += bytes.length) > SKIPPED_BODY_BYTES) this.#trip?.abort();
    return this.#body?.take(bytes) ?? true;
  }

  end(): void {
    this.#body?.end(undefined);
  }

  failed(error: HostError): void {
    if (this.#body) this.#body.end(error);
    else this.#reopenLater(error.message);
  }

  resume(): void {
    this.#trip?.resume();
  }

  stop(): void {
    this.#trip?.abort();
  }

  messageDelivered(): void {
    this.#failures = 0;
  }

  bodyEnded(error: HostError | undefined): void {
    if (this.#context.clock.monotonic() - this.#openedAt >= QUICK) {
      this.#failures = 0;
      this.#hasLasted = true;
    }
    this.#lastEventId = this.#body?.lastEventId ?? '';
    this.#retryMs = this.#body?.retryMs ?? this.#retryMs;
    this.#body = undefined;
    this.#reopenLater(error?.message ?? 'it ends as soon as it is opened', this.#retryMs !== undefined);
  }

  /** Reopens after the backoff. A server that sent `retry` (`isInvited`) is asked without end, at growing intervals. */
  #reopenLater(reason: string, isInvited = false): void {
    if (this.#isClosed) return;
    if (this.#failures >= FAILURES && !isInvited) {
      this.#giveUp(reason);
      return;
    }
    const wait = toBackoff(this.#failures++, this.#retryMs, Math.random());
    this.#timer = this.#context.clock.after(wait, () => this.open());
  }

  /** Reports the refusal and decides nothing: other credentials may help, and requests may still succeed. */
  #refused({ detail }: HostError): void {
    if (detail?.kind !== 'http') return;
    const { status, challenge, nonce } = detail;
    this.#giveUp(`HTTP ${status}`, { status, denial: { status, challenge, nonce, hasLasted: this.#hasLasted } });
  }

  #giveUp(reason: string, more: Pick<PipeWarning, 'status' | 'denial'> = {}): void {
    this.close();
    const text = `it has no stream for messages of its own: ${reason}`;
    this.#context.receiver.warning({ kind: 'stream-off', text, ...more });
  }
}

const QUICK = 10_000;
const FAILURES = 5;
const LONGEST_WAIT = 600_000; // ms; a timer of weeks would amount to giving up
