import { HostError } from '../../base/errors.js';
import { isObject, parseJson } from '../../base/json.js';
import { nearest } from '../../base/nearest.js';
import { parseUrl } from '../../base/parse-url.js';
import { systemCode } from '../../base/system-code.js';
import { urlAddressClass } from '../../model/urls/address-class.js';
import { textRedactor } from '../../model/redaction/redact-text.js';
import { gateLine } from '../../model/text/text-gate.js';
import { readContextFull } from './context-full.js';
import type { ModelEndpoint } from './model-endpoint.js';

/** Why an API gave no answer, or an incomplete one. */
export class ModelError extends Error {
  /** The error for the user when there is no further retry. */
  readonly failure: HostError;
  /** A retry of the same request may succeed. */
  readonly isTransient: boolean;
  /** A few words to show during the wait for a retry: `HTTP 529`. */
  readonly reason: string;
  /** How long the API asks to wait, where it says so. */
  readonly afterMs: number | undefined;

  constructor(failure: HostError, { isTransient, reason, afterMs }: ModelErrorFacts) {
    super(failure.message, { cause: failure });
    this.name = 'ModelError';
    this.failure = failure;
    this.isTransient = isTransient;
    this.reason = reason;
    this.afterMs = afterMs;
  }
}

interface ModelErrorFacts {
  readonly isTransient: boolean;
  readonly reason: string;
  readonly afterMs?: number | undefined;
}

/** The model and endpoint that an error message names. */
export interface RequestedModel {
  readonly endpoint: ModelEndpoint;
  readonly model: string;
}

/** The beginning of every error message. */
export function toLabel({ provider, baseUrl }: ModelEndpoint): string {
  return baseUrl.includes(provider) ? `The model API at ${provider}` : provider;
}

/** An error response, as far as it came. */
export interface FailedResponse {
  readonly status: number;
  readonly text: string;
  readonly afterMs?: number | undefined;
  /** The API's own verdict on a retry (x-should-retry). */
  readonly shouldRetry?: boolean | undefined;
  /** The models that the endpoint has, where it lists them. */
  readonly models?: readonly string[];
}

/** The error for a response with another status than success. */
export function statusError(
  { status, text, afterMs, shouldRetry, models = [] }: FailedResponse,
  asked: RequestedModel,
): ModelError {
  const { endpoint, model } = asked;
  const said = readMessage(text);
  const words = said === undefined ? '' : `: ${toLine(said, endpoint)}`;
  const what = status === 404 ? ` for the model "${model}"` : '';
  const contextFull = readContextFull(status, parseJson(text) ?? text);
  const hint = contextFull ? TOO_LONG : hintOf(status, { ...asked, models });
  const failure = new HostError('model-failed', `${toLabel(endpoint)} answered HTTP ${status}${what}${words}`, {
    hint,
    detail: {
      kind: 'http',
      status,
      ...(afterMs !== undefined && { retryAfterMs: afterMs }),
      ...(contextFull && { contextFull }),
    },
  });
  const isTransient = !contextFull && (shouldRetry ?? (TRANSIENT.has(status) || status >= 500));
  return new ModelError(failure, { isTransient, reason: `HTTP ${status}`, afterMs });
}

const TRANSIENT: ReadonlySet<number> = new Set([408, 409, 429]);
const AGAIN = 'Send your message again; the conversation so far is kept';
const TOO_LONG = 'The conversation has become too long for the model: /compact shortens it, /clear starts a new one';

function hintOf(
  status: number,
  { endpoint, model, models }: RequestedModel & { readonly models: readonly string[] },
): string {
  const { key, api, baseUrl } = endpoint;
  if (status >= 300 && status < 400)
    return `Redirects are not followed: write the final address into ${toVariable(api)}`;
  if (status === 401 || status === 403) {
    return key
      ? `Check ${key.variable}: the API rejects this key, or the key may not use the model "${model}"`
      : 'The API needs a key: set OPENAI_API_KEY';
  }
  if (status === 404) return hintOfName(model, models) ?? `Check the name of the model, and ${baseUrl}`;
  if (status === 429) return 'Try again in a moment, or look at the limits of your account';
  return status >= 500 ? 'Try again in a moment' : 'Try another model: --model NAME';
}

/** Names that would have been right; undefined when none are known. */
export function hintOfName(model: string, models: readonly string[]): string | undefined {
  if (models.length === 0) return undefined;
  const close = nearest(model, models);
  const shown = close.length > 0 ? close : models.slice(0, SHOWN);
  const rest = models.length - shown.length;
  return `Name a model that it has: ${shown.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}`;
}

const SHOWN = 10;

/** The error for a request without a response; `cause` is the error of the connection. */
export function connectionError(cause: HostError, { endpoint }: RequestedModel): ModelError {
  const url = parseUrl(endpoint.baseUrl);
  const isHere = url !== undefined && urlAddressClass(url) === 'loopback';
  const isRefused = systemCode(cause) === 'ECONNREFUSED';
  const hint =
    isRefused && isHere
      ? `Is Ollama, or your other model server, running at ${endpoint.baseUrl}? Check ${toVariable(endpoint.api)}`
      : (cause.hint ?? AGAIN);
  const failure = new HostError('model-failed', cause.message, { hint, cause });
  // A refused connection on this machine comes at once, and would be refused again.
  const isTransient = LOST.has(cause.code) && !(isRefused && isHere);
  return new ModelError(failure, { isTransient, reason: 'no connection' });
}

const LOST: ReadonlySet<string> = new Set(['connect-failed', 'connect-timeout', 'http-failed', 'connection-closed']);

/** The error for an answer that broke off, or that reports a failure itself: `reported`, in the API's format. */
export function answerError(
  what: string,
  { endpoint }: RequestedModel,
  { isTransient = false, reported, quoted }: { isTransient?: boolean; reported?: unknown; quoted?: string } = {},
): ModelError {
  const said = toMessage({ error: reported });
  const words = said === undefined ? '' : `: ${toLine(said, endpoint)}`;
  const contextFull = readContextFull(REPORTED, { error: reported });
  const failure = new HostError('model-failed', `${toLabel(endpoint)} ${what}${words}`, {
    hint: contextFull ? TOO_LONG : AGAIN,
    ...(contextFull && { detail: { kind: 'http', status: REPORTED, contextFull } }),
    ...(quoted !== undefined && { cause: new Error(`It sent: ${toLine(quoted, endpoint)}`) }),
  });
  return new ModelError(failure, { isTransient: isTransient && !contextFull, reason: what });
}

const REPORTED = 200; // the status of an answer that reports an error itself

export function toVariable(api: ModelEndpoint['api']): string {
  return api === 'anthropic' ? 'ANTHROPIC_BASE_URL' : 'OPENAI_BASE_URL';
}

/** The message in an error's body, in any of the usual formats; otherwise the text itself. */
function readMessage(text: string): string | undefined {
  const body = parseJson(text);
  // An HTML page has no message to show.
  if (body === undefined) return /^\s*</u.test(text) ? undefined : text.trim() || undefined;
  return typeof body === 'string' ? body : toMessage(body);
}

/** The message in an error's body that is parsed already. */
function toMessage(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const { error, message, detail } = body;
  const inner = isObject(error) ? error['message'] : error;
  return [inner, message, detail].find((value): value is string => typeof value === 'string' && value !== '');
}

/** Redacts and cleans an API's text, which may contain the key, and anything else. */
function toLine(text: string, { key }: ModelEndpoint): string {
  const redactor = textRedactor({ secrets: key ? [key.secret] : [] });
  return gateLine(redactor.redact(gateLine(text, { limit: 4 * LINE }).text), { limit: LINE }).text;
}

const LINE = 400;
