import { HostError } from '../../base/errors.js';
import type { HttpHeaders } from '../../edge/network/http-client.js';
import { cutBytes } from '../../model/text/cut-bytes.js';
import { gateLine } from '../../model/text/text-gate.js';
import { retryAdvice, toRetryAfter } from '../../edge/network/retry-after.js';
import { errorTextIn, shownLine } from '../http/error-body.js';

export interface WsRefusal {
  /** `Server "db"`: the start of the error message. */
  readonly label: string;
  readonly status: number;
  readonly headers: HttpHeaders;
  /** The start of the body. */
  readonly body: Buffer;
  /** Removes our own secrets from a server's text. */
  readonly redact: (text: string) => string;
}

/** The error for a server that does not accept the WebSocket handshake. */
export function refusalError({ label, status, headers, body, redact }: WsRefusal): HostError {
  const said = cutBytes(shownLine(isCoded(headers) ? '' : errorTextIn(headers, body), redact, TEXT_LIMIT), BYTE_LIMIT);
  const sentence = `${label} answered HTTP ${status} instead of opening a WebSocket${said === '' ? '' : `: ${said}`}`;
  const detail = { kind: 'http', status } as const;
  switch (status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
      return new HostError('http-failed', `${label} answered HTTP ${status}: a redirect ${redact(toPlace(headers))}`, {
        hint: 'Plugboard follows no redirects here: if you trust that address, write it as the URL of its entry',
        detail,
      });
    case 401:
    case 403: {
      const header = headers.get('www-authenticate')?.slice(0, CHALLENGE_LIMIT);
      const challenge = header === undefined ? undefined : redact(header);
      return new HostError('unauthorized', sentence, {
        hint: 'Check the token in the headers of its entry',
        detail: { ...detail, ...(challenge !== undefined && { challenge }) },
      });
    }
    case 404:
    case 405:
      return new HostError('http-failed', sentence, {
        hint: 'There is no WebSocket there; check the path of its URL, or whether its type is http',
        detail,
      });
    case 429:
    case 503: {
      const retryAfterMs = toRetryAfter(headers);
      const { text, hint } = retryAdvice(retryAfterMs);
      return new HostError('http-failed', `${sentence}${text}`, {
        hint,
        detail: { ...detail, ...(retryAfterMs !== undefined && { retryAfterMs }) },
      });
    }
    default:
      return new HostError('http-failed', sentence, {
        hint: 'Check its URL, and whether its type is ws and not http',
        detail,
      });
  }
}

/** The target without its query, which may repeat one of our tokens. */
function toPlace(headers: HttpHeaders): string {
  const location = headers.get('location');
  if (location === undefined) return 'to nowhere';
  const place = location.split(/[?#]/u, 1)[0]!.replace(/\/\/[^/]*@/u, '//');
  return `to ${gateLine(place, { limit: PLACE_LIMIT }).text}`;
}

/** Whether the body is compressed, although no compression was accepted: it is not decoded. */
function isCoded(headers: HttpHeaders): boolean {
  return (headers.get('content-encoding') ?? 'identity') !== 'identity';
}

const TEXT_LIMIT = 3_400;
const BYTE_LIMIT = 3_500; // with our own words an error message stays under 4 KB
const CHALLENGE_LIMIT = 4_096;
const PLACE_LIMIT = 300;
