import type { PeerCertificate } from 'node:tls';
import { HostError } from '../../base/errors.js';
import { unreachable } from '../../base/never.js';
import { explainTls } from './tls-error.js';

/** The other end of a connection that is being made: the server or a proxy. */
export interface ConnectionPeer {
  /** Subject of every error message: `Server "db"`, or `Server "db" cannot be reached: the proxy at ...`. */
  readonly subject: string;
  /** The address, for error messages: ` at https://mcp.test`. Empty when the subject has it. */
  readonly at: string;
  readonly host: string;
  /** What to check when nothing listens there. */
  readonly hint: string;
}

export interface DialFailure {
  readonly party: ConnectionPeer;
  readonly step: 'look-up' | 'connection' | 'CONNECT' | 'TLS';
  readonly timeoutMs: number;
  /** Why this host ended the attempt; undefined when it did not. */
  readonly end: 'timeout' | 'aborted' | undefined;
  readonly certificate?: PeerCertificate | undefined;
  readonly hasCertificate?: boolean | undefined;
}

/** Turns the error of a connection attempt into a `HostError`, by its code. Nothing has been sent to the server yet. */
export function toDialError(cause: Error, circumstances: DialFailure): HostError {
  const { party, step, timeoutMs, end, certificate, hasCertificate } = circumstances;
  const { subject, at, host, hint: whereHint } = party;
  const failed =
    (reason: Error) =>
    (what: string, hint: string): HostError =>
      new HostError('connect-failed', `${subject} ${what}`, { hint, cause: reason });
  const fail = failed(cause);
  if (end === 'aborted') {
    return new HostError('cancelled', `${subject}: the connection${at} was cancelled before it was made`, { cause });
  }
  if (end === 'timeout') {
    // The socket's own error is only the consequence of our `destroy`.
    const timedOut = Object.assign(new Error('timed out', { cause }), { code: 'ETIMEDOUT' });
    return failed(timedOut)(
      timeoutText(circumstances, `within ${timeoutMs} ms`),
      step === 'look-up' ? DNS_HINT : 'Check your network',
    );
  }
  if (cause instanceof HostError) return cause;
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
  switch (code) {
    case 'ECONNREFUSED':
      return fail(`refused the connection${at}`, whereHint);
    case 'ENOTFOUND':
    case 'ENODATA':
    case 'EAI_NODATA':
    case 'EAI_NONAME':
      return fail(`cannot be found: there is no host ${host} (${code})`, whereHint);
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
    case 'ETIMEOUT':
    case 'ESERVFAIL':
    case 'EREFUSED':
      return fail(`cannot be looked up: DNS does not answer for ${host} (${code})`, DNS_HINT);
    case 'ETIMEDOUT':
      return fail(timeoutText(circumstances, `(${code})`), 'Check your network');
    case 'EMFILE':
    case 'ENFILE':
      return fail(`cannot be reached${at}: too many files are open (${code})`, 'Raise the limit: ulimit -n');
    case 'ECONNRESET':
    case 'EPIPE':
      return fail(`closed the connection${at} while it was being made (${code})`, whereHint);
    default: {
      const explained = explainTls(cause, { at, host, certificate, hasCertificate });
      if (explained) return fail(explained.what, explained.hint);
      return fail(`cannot be reached${at} (${code})`, 'Check its URL, and your network');
    }
  }
}

const DNS_HINT = 'Check your network and its DNS server, then try again';

function timeoutText({ step, party }: DialFailure, when: string): string {
  const { at, host } = party;
  switch (step) {
    case 'look-up':
      return `cannot be looked up: DNS does not answer for ${host} ${when}`;
    case 'connection':
      return `did not accept the connection${at} ${when}`;
    case 'CONNECT':
      return `did not answer CONNECT${at} ${when}`;
    case 'TLS':
      return `did not finish the TLS handshake${at} ${when}`;
    default:
      return unreachable(step);
  }
}
