import { isObject } from '../../base/json.js';
import type { HttpHeaders } from '../../edge/network/http-client.js';
import { textRedactor } from '../../model/redaction/redact-text.js';
import { gateLine } from '../../model/text/text-gate.js';
import { decode } from '../../wire/json/decode.js';
import { parseAtOnce } from '../../wire/message-reader.js';

/** An error text fit to be shown: without our own secrets and without credentials that the server reveals. */
export function shownLine(text: string, redact: (text: string) => string, limit: number): string {
  return FORMS.redact(redact(gateLine(text, { limit }).text.trim()));
}

const FORMS = textRedactor();

/** The error message in a response body: plain text, or a field of a JSON body. Empty for an HTML page. */
export function errorTextIn(headers: HttpHeaders, body: Buffer): string {
  if (mediaType(headers) === 'text/plain') return decode(body).text.slice(0, LONGEST);
  const message = jsonIn(headers, body);
  if (!isObject(message)) return '';
  const { error, message: plain, error_description: description } = message;
  const candidates = [isObject(error) ? error['message'] : error, plain, description];
  return candidates.find((candidate) => typeof candidate === 'string') ?? '';
}

/** The parsed body if its content type is JSON; undefined when it is not valid JSON or too large to parse at once. */
export function jsonIn(headers: HttpHeaders, body: Buffer): unknown {
  if (!mediaType(headers).endsWith('json')) return undefined;
  const { text, replaced } = decode(body);
  const intake = parseAtOnce(text, replaced);
  return intake?.kind === 'message' ? intake.message : undefined;
}

/** The media type in lower case: `text/html` for `Text/HTML; charset=utf-8`. Empty when the header is missing. */
export function mediaType(headers: HttpHeaders): string {
  const value = headers.get('content-type');
  if (value === undefined || value === 'application/json' || value === 'text/event-stream') return value ?? '';
  return value.split(/[;,]/u, 1)[0]!.trim().toLowerCase();
}

const LONGEST = 8_000;
