import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import type { HttpHeaders } from '../../edge/network/http-client.js';
import { cutBytes } from '../../model/text/cut-bytes.js';
import type { HttpContext } from './http-context.js';
import { retryAdvice, toRetryAfter } from '../../edge/network/retry-after.js';
import { jsonIn, errorTextIn, shownLine } from './error-body.js';

/** An HTTP error response with its body, which is bounded and never shown unredacted. */
export class HttpFailure {
  readonly status: number;
  readonly #headers: HttpHeaders;
  readonly #hadSession: boolean;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(status: number, headers: HttpHeaders, hadSession: boolean) {
    this.status = status;
    this.#headers = headers;
    this.#hadSession = hadSession;
  }

  /** Returns false when the body has reached its limit. */
  add(bytes: Buffer): boolean {
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    return this.#bytes < BODY_LIMIT;
  }

  /** The JSON-RPC error in the body; undefined when there is none, or when the status says more. */
  answer({ session }: HttpContext): object | undefined {
    if (this.#isSpecial()) return undefined;
    const message = jsonIn(this.#headers, this.#body());
    if (!isObject(message) || message['error'] === undefined || message['jsonrpc'] !== '2.0') return undefined;
    const { error } = message;
    // A server that repeats our own headers must not put a token into an error message.
    if (!isObject(error) || typeof error['message'] !== 'string') return message;
    return { ...message, error: { ...error, message: session.redact(error['message']) } };
  }

  error({ label, session }: HttpContext): HostError {
    const { status } = this;
    const said = cutBytes(
      shownLine(this.#said(), (text) => session.redact(text), TEXT_LIMIT),
      TEXT_LIMIT + CUT_MARK,
    );
    const sentence = `${label} answered HTTP ${status}${said === '' ? '' : `: ${said}`}`;
    if (this.#isLostSession()) {
      return new HostError('session-lost', `${sentence}; it no longer knows this session`, {
        detail: { kind: 'http', status },
      });
    }
    switch (status) {
      case 401:
      case 403: {
        const header = this.#headers.get('www-authenticate')?.slice(0, CHALLENGE_LIMIT);
        const challenge = header === undefined ? undefined : session.redact(header);
        const nonce = this.#headers.get('dpop-nonce')?.slice(0, NONCE_LIMIT);
        return new HostError('unauthorized', sentence, {
          hint: 'Check the token in the headers of its entry',
          detail: {
            kind: 'http',
            status,
            ...(challenge !== undefined && { challenge }),
            ...(nonce !== undefined && { nonce }),
          },
        });
      }
      case 429:
      case 503: {
        const retryAfterMs = toRetryAfter(this.#headers);
        const { text, hint } = retryAdvice(retryAfterMs);
        return new HostError('http-failed', `${sentence}${text}`, {
          hint,
          detail: { kind: 'http', status, ...(retryAfterMs !== undefined && { retryAfterMs }) },
        });
      }
      case 404:
      case 405:
        return new HostError('http-failed', sentence, {
          hint: 'There is no MCP endpoint there; check the path of its URL, or whether its type is sse',
          detail: { kind: 'http', status },
        });
      default:
        return new HostError('http-failed', sentence, { detail: { kind: 'http', status } });
    }
  }

  /** Whether the status says more than the body. */
  #isSpecial(): boolean {
    return [401, 403, 429, 503].includes(this.status) || this.#isLostSession();
  }

  /** The only decision by text: some servers report a lost session in no other way. */
  #isLostSession(): boolean {
    if (!this.#hadSession) return false;
    return this.status === 404 || (this.status === 400 && /session/iu.test(this.#said()));
  }

  #said(): string {
    return errorTextIn(this.#headers, this.#body());
  }

  #body(): Buffer {
    const body = Buffer.concat(this.#pieces);
    this.#pieces = [body];
    return body;
  }
}

const BODY_LIMIT = 65_536; // bytes; a larger body is a web page
const TEXT_LIMIT = 3_500; // with our own words an error message stays under 4 KB
const CUT_MARK = 40; // bytes for the mark that says that a text was cut
const CHALLENGE_LIMIT = 4_096;
const NONCE_LIMIT = 512;
