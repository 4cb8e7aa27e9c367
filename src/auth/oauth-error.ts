// https://www.rfc-editor.org/rfc/rfc6749#section-5.2
import { HostError } from '../base/errors.js';
import { Secret } from '../base/secret.js';
import { nameWord } from '../base/shell-word.js';
import { textRedactor } from '../model/redaction/redact-text.js';
import { gateLine } from '../model/text/text-gate.js';

export interface OAuthErrorPlace {
  /** The server that the user signs in to. */
  readonly name: string;
  /** What was attempted, and where: `auth.example gave no new token`. */
  readonly doing: string;
  /** What to redact from every message. */
  readonly secrets?: readonly (Secret | undefined)[] | undefined;
}

export interface OAuthErrorResponse {
  readonly error?: string | undefined;
  readonly description?: string | undefined;
  readonly status?: number | undefined;
}

/** The error for an OAuth error response: `unauthorized` when the user has to sign in again. */
export function toOAuthResponseError(answer: OAuthErrorResponse, place: OAuthErrorPlace): HostError {
  const { status } = answer;
  const error = answer.error === undefined ? undefined : clean(answer.error, place, CODE_LIMIT);
  const message = `Server "${place.name}": ${place.doing}: ${answerText(answer, place)}`;
  const login = `Run: plugboard login ${nameWord(place.name)}`;
  const detail = (isTransient: boolean) =>
    ({ kind: 'oauth', isTransient, ...(error !== undefined && { error }) }) as const;
  if (error === 'invalid_grant') return new HostError('unauthorized', message, { hint: login, detail: detail(false) });
  if (error === 'invalid_client' || error === 'unauthorized_client')
    return new HostError('sign-in-failed', message, {
      hint: `Check "oauth.clientId" and "oauth.clientSecret" of its entry. ${login}`,
      detail: detail(false),
    });
  const isTransient = isTransientStatus(status) || (error !== undefined && PASSING.has(error));
  return new HostError('sign-in-failed', message, {
    hint: isTransient ? 'Try again in a moment; nothing is lost' : login,
    detail: detail(isTransient),
  });
}

/** The error code and description of a response, bounded and cleaned. */
export function answerText({ error, description, status }: OAuthErrorResponse, place: OAuthErrorPlace): string {
  const word = error === undefined ? '' : clean(error, place, CODE_LIMIT);
  const sentence = description === undefined ? '' : clean(description, place, DESCRIPTION_LIMIT);
  const said = word === '' ? (status === undefined ? 'no reason given' : `HTTP ${status}`) : word;
  return `${said}${sentence === '' ? '' : ` (${sentence})`}`;
}

/** Converts what the library or our own functions threw. */
export function toOAuthError(error: unknown, place: OAuthErrorPlace): HostError {
  if (error instanceof HostError) return error;
  const text = error instanceof Error ? error.message : String(error);
  // A response that cannot be parsed may contain a token: neither the text nor the error that quotes it is kept.
  const isForm = error instanceof SyntaxError;
  return new HostError(
    'sign-in-failed',
    `Server "${place.name}": ${place.doing}: ${isForm ? BAD_FORM : clean(text, place, DESCRIPTION_LIMIT)}`,
    {
      ...(!isForm && { cause: scrubbed(error, place) }),
      detail: { kind: 'oauth', isTransient: false },
    },
  );
}

/** The error without what libraries attach to it (body, response), because `--verbose` shows all of a cause. */
function scrubbed(error: unknown, place: OAuthErrorPlace): Error {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const told = new Error(clean(message, place, DESCRIPTION_LIMIT));
  const frames = stack.split('\n').filter((line) => /^ +at /u.test(line));
  return Object.assign(told, { name, stack: [`${name}: ${told.message}`, ...frames].join('\n') });
}

const BAD_FORM = 'the answer does not have the required form';

/** Any other failure of a sign-in, with our own message. */
export function signInFailure(
  message: string,
  { isTransient = false, ...options }: { hint?: string | undefined; isTransient?: boolean; cause?: unknown } = {},
): HostError {
  return new HostError('sign-in-failed', message, { ...options, detail: { kind: 'oauth', isTransient } });
}

export function isTransientFailure(error: unknown): boolean {
  return error instanceof HostError && error.detail?.kind === 'oauth' && error.detail.isTransient;
}

/** The statuses after which a later attempt may succeed. */
export function isTransientStatus(status: number | undefined): boolean {
  return status !== undefined && (status >= 500 || status === 429 || status === 408);
}

const CODE_LIMIT = 80;
const DESCRIPTION_LIMIT = 300;
const PASSING: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable', 'slow_down']);

/** Redacts, bounds and cleans a server's text, which may repeat what was sent to the server. */
function clean(text: string, { secrets = [] }: OAuthErrorPlace, limit: number): string {
  const redactor = textRedactor({ secrets: secrets.flatMap((secret) => (secret ? spellingsOf(secret) : [])) });
  return gateLine(redactor.redact(text.slice(0, limit * 8)), { limit }).text.trim();
}

/** The secret as it is, and as forms and URLs encode it. */
function spellingsOf(secret: Secret): readonly Secret[] {
  const value = secret.reveal();
  const encoded = new URLSearchParams({ x: value }).toString().slice(2);
  return encoded === value ? [secret] : [secret, new Secret(encoded), new Secret(encodeURIComponent(value))];
}
