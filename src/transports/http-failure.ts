import { HostError } from '../base/errors.js';
import { isObject } from '../base/json.js';
import type { HttpHeaders } from '../edge/http-client.js';
import { cutBytes } from '../model/cut-bytes.js';
import { gateLine } from '../model/text-gate.js';
import { decode } from '../wire/decode.js';
import { parseAtOnce } from '../wire/message-reader.js';
import type { HttpRoad } from './http-road.js';

/** A response that is no success, and what stands in its body: bounded, and never shown as it came. */
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

  /** False: that is enough of it. */
  add(bytes: Buffer): boolean {
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    return this.#bytes < BODY_LIMIT;
  }

  /** The JSON-RPC error in the body that says more than the status does; undefined when there is none. */
  answer({ session }: HttpRoad): object | undefined {
    if (this.#isSpecial()) return undefined;
    const message = this.#parse();
    if (!isObject(message) || message['error'] === undefined || message['jsonrpc'] !== '2.0') return undefined;
    const { error } = message;
    // A page that repeats our own headers must not put a token into an error text.
    if (!isObject(error) || typeof error['message'] !== 'string') return message;
    return { ...message, error: { ...error, message: session.redact(error['message']) } };
  }

  error({ label, session }: HttpRoad): HostError {
    const { status } = this;
    const said = cutBytes(
      session.redact(gateLine(this.#said(), { limit: TEXT_LIMIT }).text.trim()),
      TEXT_LIMIT + CUT_MARK,
    );
    const sentence = `${label} answered HTTP ${status}${said === '' ? '' : `: ${said}`}`;
    if (this.#isLostSession()) {
      return new HostError('session-lost', sentence, { detail: { kind: 'http', status } });
    }
    switch (status) {
      case 401:
      case 403: {
        const challenge = this.#headers.get('www-authenticate')?.slice(0, CHALLENGE_LIMIT);
        return new HostError('unauthorized', sentence, {
          hint: 'Check the token in the headers of its entry',
          detail: { kind: 'http', status, ...(challenge !== undefined && { challenge }) },
        });
      }
      case 429:
      case 503: {
        const retryAfterMs = toRetryAfter(this.#headers);
        return new HostError('http-failed', sentence, {
          hint: 'Try again later',
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

  /** What the status means here counts for more than what the body says. */
  #isSpecial(): boolean {
    return [401, 403, 429, 503].includes(this.status) || this.#isLostSession();
  }

  /** The one place where a text decides: some servers tell a lost session in no other way. */
  #isLostSession(): boolean {
    if (!this.#hadSession) return false;
    return this.status === 404 || (this.status === 400 && /session/iu.test(this.#said()));
  }

  /** The sentence in the body that is meant for people. A page for browsers is not. */
  #said(): string {
    const message = this.#parse();
    if (isObject(message)) {
      const { error } = message;
      const candidates = [isObject(error) ? error['message'] : error, message['message'], message['error_description']];
      return candidates.find((text) => typeof text === 'string') ?? '';
    }
    return mediaType(this.#headers) === 'text/plain' ? this.#text().text.slice(0, 2 * TEXT_LIMIT) : '';
  }

  #parse(): unknown {
    if (!mediaType(this.#headers).endsWith('json')) return undefined;
    const { text, replaced } = this.#text();
    const intake = parseAtOnce(text, replaced);
    return intake?.kind === 'message' ? intake.message : undefined;
  }

  #text(): { readonly text: string; readonly replaced: boolean } {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [bytes];
    return decode(bytes);
  }
}

/** `text/html` of `Text/HTML; charset=utf-8`; empty when the server does not say. */
export function mediaType(headers: HttpHeaders): string {
  const value = headers.get('content-type');
  if (value === undefined || value === 'application/json' || value === 'text/event-stream') return value ?? '';
  return value.split(/[;,]/u, 1)[0]!.trim().toLowerCase();
}

const BODY_LIMIT = 65_536; // an error that needs more is a page
const TEXT_LIMIT = 3_500; // with what we say ourselves an error stays under 4 KB
const CUT_MARK = 40; // what says that a text was cut
const CHALLENGE_LIMIT = 4_096;
const LONGEST_WAIT = 86_400_000;

/** Seconds, or a date: that one is compared with the server's own clock where it tells the time. */
function toRetryAfter(headers: HttpHeaders): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined) return undefined;
  const wait = /^\d{1,9}$/u.test(value)
    ? Number(value) * 1000
    : Date.parse(value) - (Date.parse(headers.get('date') ?? '') || Date.now());
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), LONGEST_WAIT);
}
