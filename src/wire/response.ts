import { HostError } from '../base/errors.js';
import { isObject, type JsonObject } from '../base/json.js';
import { roughSize } from '../base/rough-size.js';
import { cutBytes } from '../model/text/cut-bytes.js';
import { redactValue } from '../model/redaction/redact-value.js';
import { gateText } from '../model/text/text-gate.js';
import type { RejectedMessage } from './pipe.js';
import { MISSING_CAPABILITY, UNSUPPORTED_VERSION } from './rpc-codes.js';

/** The server and method of a response, for error messages. */
export interface ResponseContext {
  readonly server: string;
  readonly method: string;
  /** Removes the server's secrets from a text. */
  readonly redact?: ((text: string) => string) | undefined;
}

/** The result of a response, or an error. Strict: otherwise the call would wait for its deadline. */
export function readResponse(message: JsonObject, question: ResponseContext): JsonObject | HostError {
  const { result, error } = message;
  // Some servers write null for an absent field.
  if (error !== undefined && (error !== null || result === undefined)) {
    if (result !== undefined && result !== null) return badResponse(question, 'it has both a result and an error');
    return toServerError(error, question);
  }
  if (message['jsonrpc'] !== '2.0') return badResponse(question, 'it does not say "jsonrpc": "2.0"');
  if (typeof result === 'object' && result !== null && !Array.isArray(result)) return result as JsonObject;
  if (result === undefined) return badResponse(question, 'it has neither a result nor an error');
  return badResponse(question, `its result is ${kindOf(result)} instead of an object`);
}

export function badResponse({ server, method }: ResponseContext, reason: string): HostError {
  return new HostError('bad-answer', `Server "${server}" sent an answer to ${method} that cannot be used: ${reason}`, {
    hint: 'This is a fault of the server; run it again with --record FILE to keep its messages for a report',
  });
}

export function tooLarge(
  { server, method }: ResponseContext,
  { reason, hint = smallerHint(method) }: Pick<RejectedMessage, 'reason' | 'hint'>,
): HostError {
  return new HostError(
    'answer-too-large',
    `Server "${server}" answered ${method} with more than can be taken: ${reason}`,
    { hint },
  );
}

/** Nobody but the server decides how long a list is. */
function smallerHint(method: string): string {
  return method.endsWith('/list')
    ? "Report this to the server's author: the list should come in pages, with fewer or smaller items"
    : 'Ask for less at a time: a page, a range, a filter';
}

/** A server's own error. The message is cleaned and cut for users and models; `data` stays unchanged. */
function toServerError(error: unknown, { server, method, redact = asItIs }: ResponseContext): HostError {
  const shape = isObject(error) ? error : {};
  const said = typeof error === 'string' ? error : typeof shape['message'] === 'string' ? shape['message'] : '';
  const code = typeof shape['code'] === 'number' ? shape['code'] : undefined;
  const written = redact(said.slice(0, LONGEST_SAID));
  const text = cutBytes(gateText(written, { limit: ERROR_TEXT_LIMIT }).text, ERROR_TEXT_LIMIT);
  const label = code === undefined ? 'an error' : `error ${code}`;
  const sentence = `Server "${server}" answered ${method} with ${label}${text.trim() === '' ? ', without saying why' : `: ${text}`}`;
  const hint = code === undefined ? undefined : hintFor(code, shape['data']);
  return new HostError('server-error', sentence, {
    hint,
    detail: {
      kind: 'rpc',
      code: code ?? INTERNAL_ERROR,
      message: written.slice(0, MESSAGE_LIMIT),
      ...('data' in shape && { data: redact === asItIs ? shape['data'] : redactAll(shape['data'], redact) }),
    },
  });
}

function asItIs(text: string): string {
  return text;
}

/** Redacts every string in the value; undefined for a value too large to redact quickly. */
function redactAll(value: unknown, redact: (text: string) => string): unknown {
  const isLarge = typeof value === 'object' && value !== null && roughSize(value, DATA_LIMIT) > DATA_LIMIT;
  return isLarge ? undefined : redactValue(value, redact);
}

const LONGEST_SAID = 100_000;
const MESSAGE_LIMIT = 16_000; // characters of the uncleaned message: programs read it, and results are kept for hours
const DATA_LIMIT = 256_000;

/** Hints for error codes of 2026-07-28. */
function hintFor(code: number, data: unknown): string | undefined {
  const { requiredCapabilities, supported } = isObject(data) ? data : ({} as JsonObject);
  switch (code) {
    case MISSING_CAPABILITY: {
      const names = isObject(requiredCapabilities) ? Object.keys(requiredCapabilities) : [];
      return names.length === 0
        ? undefined
        : `It needs a host that offers ${toList(names)}, which this one does not here`;
    }
    case UNSUPPORTED_VERSION:
      return Array.isArray(supported) ? `It speaks ${toList(supported)}` : undefined;
    default:
      return undefined;
  }
}

/** Strings only: `join` would call toString of other values. */
function toList(words: readonly unknown[]): string {
  const texts = words.slice(0, 10).filter((word) => typeof word === 'string');
  return gateText(texts.map((text) => text.slice(0, 100)).join(', '), { limit: 200 }).text;
}

const ERROR_TEXT_LIMIT = 3_500; // with our own words an error message stays under 4 KB
const INTERNAL_ERROR = -32603;

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/** An unexpected value for an error message: the start of a string, of other values only the type. */
export function shownValue(value: unknown): string {
  if (value === undefined) return 'missing';
  return typeof value === 'string' ? JSON.stringify(gateText(value.slice(0, 200), { limit: 40 }).text) : kindOf(value);
}
