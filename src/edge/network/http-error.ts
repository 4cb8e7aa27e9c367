import { HostError } from '../../base/errors.js';
import { explainTls } from './tls-error.js';

/** How far a request has come. In state `waiting` nothing was sent, so a retry is safe. */
export type ExchangeState = 'waiting' | 'sent' | 'started' | 'answered' | 'over';

export interface HttpCircumstances {
  /** Subject of the error message: `Server "db"`. */
  readonly label: string;
  readonly origin: string;
  readonly state: ExchangeState;
  readonly headersTimeoutMs: number;
  readonly headerLimit: number;
}

/** Turns the error of a request into a `HostError`, by its code. */
export function toHttpError(cause: Error, circumstances: HttpCircumstances): HostError {
  if (cause instanceof HostError) return cause; // the connection was not made, or this host ended it
  const { label, origin, state, headersTimeoutMs, headerLimit } = circumstances;
  // undici's parser error has no code, only a name.
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
  const fail = (what: string, hint?: string): HostError =>
    new HostError(state === 'waiting' ? 'connect-failed' : 'http-failed', `${label} ${what}`, { hint, cause });
  switch (code) {
    case 'UND_ERR_HEADERS_TIMEOUT':
      return new HostError('call-timeout', `${label} sent no response headers within ${headersTimeoutMs} ms`, {
        hint: 'Try again, or look at the log of the server and of any proxy in front of it',
        cause,
      });
    case 'UND_ERR_HEADERS_OVERFLOW':
      return fail(`sent more than ${headerLimit} bytes of response headers`);
    case 'HTTPParserError':
      if (state === 'answered') return fail('broke off in the middle of its answer, or sent it as broken HTTP');
      if (isTls(cause)) return fail(`speaks TLS at ${origin}, not plain HTTP`, 'Write https:// in its URL');
      return fail(`does not speak HTTP at ${origin}`, 'Check the port of its URL, and whether it needs http or https');
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return fail('broke off in the middle of its answer: its length differs from its Content-Length');
    case 'UND_ERR_INVALID_ARG':
      return fail('cannot be called: the request is not valid HTTP', 'Check the URL and the headers of its entry');
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
      if (state === 'waiting') return fail(`closed the connection at ${origin} while it was being made (${code})`);
      if (state === 'answered') return fail(`closed the connection in the middle of its answer (${code})`);
      if (state === 'sent') return fail(`closed the connection without an answer (${code})`, silenceHint(origin));
      // For a 101, undici reports only that the connection was closed.
      return fail(`broke off within its response headers, or switched the protocol by HTTP 101 (${code})`);
    default:
      return toTlsError(cause, circumstances) ?? fail(`cannot be reached at ${origin} (${code})`, 'Check your network');
  }
}

/** A TLS port often closes the connection when it gets plain HTTP. */
function silenceHint(origin: string): string {
  const hint = 'Try again, or look at the log of the server';
  return origin.startsWith('http:') ? `${hint}; if its port expects TLS, write https://` : hint;
}

/** Since TLS 1.3 a server rejects our certificate only after the handshake; it has read nothing by then. */
function toTlsError(cause: Error, { label, origin, state }: HttpCircumstances): HostError | undefined {
  const explained = explainTls(cause, { at: ` at ${origin}`, host: new URL(origin).hostname });
  if (!explained) return undefined;
  const { what, hint, isRefusal } = explained;
  const code = isRefusal && state !== 'answered' ? 'connect-failed' : 'http-failed';
  return new HostError(code, `${label} ${what}`, { hint, cause });
}

/** Whether the bytes that are no HTTP begin with the record of a TLS alert. */
function isTls(cause: Error): boolean {
  return 'data' in cause && String(cause.data).startsWith('\x15\x03');
}
