import { HostError } from '../base/errors.js';
import { isObject } from '../base/json.js';
import type { HttpHeaders } from '../edge/http-client.js';
import { cutBytes } from '../model/cut-bytes.js';
import { gateLine } from '../model/text-gate.js';
import { decode } from '../wire/decode.js';
import { parseAtOnce } from '../wire/message-reader.js';
import { mediaType } from './http-failure.js';

export interface WsRefusal {
  /** `Server "db"`: begins the sentence. */
  readonly label: string;
  readonly status: number;
  readonly headers: HttpHeaders;
  /** The beginning of it. */
  readonly body: Buffer;
  /** Takes our own secrets out of what a server says. */
  readonly redact: (text: string) => string;
}

/** A server that answers the request for a WebSocket with anything but one. */
export function refusalError({ label, status, headers, body, redact }: WsRefusal): HostError {
  const said = cutBytes(redact(gateLine(saidIn(headers, body), { limit: TEXT_LIMIT }).text.trim()), BYTE_LIMIT);
  const sentence = `${label} answered HTTP ${status} instead of opening a WebSocket${said === '' ? '' : `: ${said}`}`;
  const detail = { kind: 'http', status } as const;
  switch (status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
      return new HostError('http-failed', `${label} answered HTTP ${status}: a redirect ${redact(toPlace(headers))}`, {
        hint: 'Redirects are not followed here; write the place itself into the URL of its entry if you trust it',
        detail,
      });
    case 401:
    case 403: {
      const challenge = headers.get('www-authenticate')?.slice(0, CHALLENGE_LIMIT);
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
    case 503:
      return new HostError('http-failed', sentence, { hint: 'Try again later', detail });
    default:
      return new HostError('http-failed', sentence, {
        hint: 'Check its URL, and whether its type is ws and not http',
        detail,
      });
  }
}

/** Without what stands behind the path: it may repeat a token of ours. */
function toPlace(headers: HttpHeaders): string {
  const location = headers.get('location');
  if (location === undefined) return 'to nowhere';
  const place = location.split(/[?#]/u, 1)[0]!.replace(/\/\/[^/]*@/u, '//');
  return `to ${gateLine(place, { limit: PLACE_LIMIT }).text}`;
}

/** The sentence in the body that is meant for people. A page for browsers is not. */
function saidIn(headers: HttpHeaders, body: Buffer): string {
  const coding = headers.get('content-encoding');
  if (coding !== undefined && coding !== 'identity') return ''; // nobody offered to undo it
  const type = mediaType(headers);
  const { text, replaced } = decode(body);
  if (type === 'text/plain') return text.slice(0, 2 * TEXT_LIMIT);
  const intake = type.endsWith('json') ? parseAtOnce(text, replaced) : undefined;
  if (intake?.kind !== 'message' || !isObject(intake.message)) return '';
  const { error, message, error_description: description } = intake.message;
  const candidates = [isObject(error) ? error['message'] : error, message, description];
  return candidates.find((candidate) => typeof candidate === 'string') ?? '';
}

const TEXT_LIMIT = 3_400;
const BYTE_LIMIT = 3_500; // with what we say ourselves an error stays under 4 KB
const CHALLENGE_LIMIT = 4_096;
const PLACE_LIMIT = 300;
