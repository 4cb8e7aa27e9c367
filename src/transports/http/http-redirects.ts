// Redirects: https://www.rfc-editor.org/rfc/rfc9110#section-15.4
import { HostError } from '../../base/errors.js';
import type { HttpExchange, HttpResponseHandler, HttpHeaders, HttpRequest } from '../../edge/network/http-client.js';
import { gateUrl } from '../../model/urls/url-gate.js';
import { BODY_END_TIMEOUT_MS, SKIPPED_BODY_BYTES } from './http-limits.js';
import type { HttpContext } from './http-context.js';

/** One request with its redirects, within its origin. The handler sees only the final response. */
export class RedirectedRequest implements HttpResponseHandler {
  readonly #context: HttpContext;
  readonly #handler: HttpResponseHandler;
  #request: HttpRequest;
  #exchange: HttpExchange;
  #hops = 0;
  #next: HttpRequest | undefined;
  #skipped = 0;
  #isAborted = false;
  #timer: Disposable | undefined;

  constructor(context: HttpContext, request: HttpRequest, handler: HttpResponseHandler) {
    this.#context = context;
    this.#handler = handler;
    this.#request = request;
    this.#exchange = context.client.send(request, this);
  }

  /** The path of the last redirect so far. */
  get path(): string {
    return this.#request.path;
  }

  /** The request has been sent, and no byte of a response has arrived. */
  get isUnanswered(): boolean {
    return this.#exchange.isUnanswered;
  }

  resume(): void {
    this.#exchange.resume();
  }

  abort(): void {
    this.#isAborted = true;
    this.#timer?.[Symbol.dispose]();
    this.#exchange.abort();
  }

  headers(status: number, headers: HttpHeaders): void {
    const location = REDIRECTS.has(status) ? headers.get('location') : undefined;
    if (location === undefined) return this.#handler.headers(status, headers);
    const next = this.#follow(status, location);
    if (next instanceof HostError) {
      this.#exchange.abort();
      return this.#handler.failed(next);
    }
    this.#next = next;
    this.#timer = this.#context.clock.after(BODY_END_TIMEOUT_MS, () => this.#skip(next));
    return undefined;
  }

  data(bytes: Buffer): boolean {
    if (this.#next === undefined) return this.#handler.data(bytes);
    // The body of a redirect is read to its end, so that the connection can be reused.
    this.#skipped += bytes.length;
    if (this.#skipped > SKIPPED_BODY_BYTES) this.#skip(this.#next);
    return true;
  }

  end(): void {
    const next = this.#next;
    if (next === undefined) this.#handler.end();
    // Deferred: the connection is free only after the parser has returned.
    else queueMicrotask(() => this.#goOn(next));
  }

  failed(error: HostError): void {
    // The body of the redirect was cut off, but its target is known.
    if (this.#next) this.#goOn(this.#next);
    else this.#handler.failed(error);
  }

  #skip(next: HttpRequest): void {
    this.#exchange.abort();
    this.#goOn(next);
  }

  #goOn(next: HttpRequest): void {
    this.#timer?.[Symbol.dispose]();
    if (this.#isAborted) return;
    this.#next = undefined;
    this.#skipped = 0;
    this.#request = next;
    this.#exchange = this.#context.client.send(next, this);
  }

  /**
   * Keeps POST as the method after 301 and 302 too: browsers switch to GET, which here would lose the message and open
   * a stream. Only a 303 says that the message was accepted and that a GET has the response.
   */
  #follow(status: number, location: string): HttpRequest | HostError {
    const { label, session } = this.#context;
    const refuse = (why: string, hint?: string): HostError =>
      new HostError('http-failed', `${label} redirects (HTTP ${status}) ${why}`, {
        hint,
        detail: { kind: 'http', status },
      });
    if (++this.#hops > HOP_LIMIT) return refuse(`more than ${HOP_LIMIT} times in a row`, CIRCLE);
    const origin = new URL(session.origin);
    const base = new URL(this.#request.path, origin);
    const target = gateUrl(location, { from: 'server', purpose: 'fetch', origin, base });
    if (!target.ok) return refuse(`to an address that Plugboard refuses: ${target.reason}`);
    if (target.url.origin !== session.origin) {
      return refuse(
        `to another origin, ${target.url.origin}, where Plugboard sends nothing`,
        'If the server lives there now, write that address into its entry',
      );
    }
    const path = target.url.pathname + target.url.search;
    if (status !== 303 || this.#request.method !== 'POST') return { ...this.#request, path };
    return { ...this.#request, path, method: 'GET', body: null };
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const HOP_LIMIT = 5;

const CIRCLE = 'The redirects lead in a circle: correct "url", often by adding or removing a / at its end';
