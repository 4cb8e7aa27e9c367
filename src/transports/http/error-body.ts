import { isObject } from '../../base/json.js';
import type { HttpHeaders } from '../../edge/network/http-client.js';
import { textRedactor } from '../../model/redaction/redact-text.js';
import { gateLine } from '../../model/text/text-gate.js';
import { decode } from '../../wire/json/decode.js';
import { parseAtOnce } from '../../wire/message-reader.js';

/** What a refusal says, fit to be shown: without what we told it in confidence, and without credentials that it tells of its own accord. */
export function shownLine(text: string, redact: (text: string) => string, limit: number): string {
  return FORMS.redact(redact(gateLine(text, { limit }).text.trim()));
}

const FORMS = textRedactor();

/** The sentence in the body of a refusal that is meant for people. A page for browsers is not. */
export function errorTextIn(headers: HttpHeaders, body: Buffer): string {
  if (mediaType(headers) === 'text/plain') return decode(body).text.slice(0, LONGEST);
  const message = jsonIn(headers, body);
  if (!isObject(message)) return '';
  const { error, message: plain, error_description: description } = message;
  const candidates = [isObject(error) ? error['message'] : error, plain, description];
  return candidates.find((candidate) => typeof candidate === 'string') ?? '';
}

/** The JSON that a body calls itself; undefined where it is none, or more than is read at once. */
export function jsonIn(headers: HttpHeaders, body: Buffer): unknown {
  if (!mediaType(headers).endsWith('json')) return undefined;
  const { text, replaced } = decode(body);
  const intake = parseAtOnce(text, replaced);
  return intake?.kind === 'message' ? intake.message : undefined;
}

/** `text/html` of `Text/HTML; charset=utf-8`; empty when the server does not say. */
export function mediaType(headers: HttpHeaders): string {
  const value = headers.get('content-type');
  if (value === undefined || value === 'application/json' || value === 'text/event-stream') return value ?? '';
  return value.split(/[;,]/u, 1)[0]!.trim().toLowerCase();
}

const LONGEST = 8_000;
