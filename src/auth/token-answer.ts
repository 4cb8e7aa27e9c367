// https://www.rfc-editor.org/rfc/rfc6749#section-5
import { isObject } from '../base/json.js';
import type { AuthFetch } from './auth-fetch.js';
import { isTransientStatus, type OAuthErrorPlace, signInFailure, toAnswerError } from './oauth-error.js';

/** What a token endpoint meant by its answer. */
export type TokenAnswer =
  | { readonly kind: 'tokens'; readonly body: { readonly [field: string]: unknown } }
  | { readonly kind: 'refused'; readonly error?: string | undefined; readonly description?: string | undefined }
  /** It was somebody else who answered, or nobody: a portal, a gateway, a page. */
  | { readonly kind: 'broken'; readonly what: string };

/**
 * A fetch for token endpoints: what comes back is JSON with a token in it, or the wish for a nonce. All else rejects with a
 * HostError, whichever way the server has of saying it.
 */
export function tokenFetch(fetch: AuthFetch, place: OAuthErrorPlace): AuthFetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { status } = response;
    const answer = normalizeTokenAnswer(await response.text(), {
      status,
      contentType: response.headers.get('content-type') ?? '',
    });
    if (answer.kind === 'tokens') return toJson(answer.body, 200, response);
    if (answer.kind === 'broken') {
      const { name, doing } = place;
      const hint = 'Try again in a moment; nothing is lost';
      throw signInFailure(`Server "${name}": ${doing}: ${answer.what}`, { hint, isTransient: true });
    }
    if (answer.error === 'use_dpop_nonce') return toJson({ error: answer.error }, 400, response);
    const definite = answer.error === 'invalid_grant' ? undefined : status;
    throw toAnswerError({ error: answer.error, description: answer.description, status: definite }, place);
  };
}

/** Real servers answer with 200 and an error, with forms, with `ok: false`, and with words of their own for invalid_grant. */
export function normalizeTokenAnswer(
  text: string,
  { status, contentType }: { readonly status: number; readonly contentType: string },
): TokenAnswer {
  const body = parseBody(text, contentType);
  if (!body) {
    const what = text.trim() === '' ? 'nothing' : /^\s*</u.test(text) ? 'a page' : 'neither JSON nor a form';
    return { kind: 'broken', what: `it answered HTTP ${status} with ${what}` };
  }
  const isOk = status >= 200 && status < 300;
  if (isOk && typeof body['access_token'] === 'string' && body['ok'] !== false)
    return { kind: 'tokens', body: sane(body) };
  const error = codeOf(body['error']);
  if (error !== undefined) return { kind: 'refused', error, description: descriptionOf(body) };
  if (isOk) return { kind: 'broken', what: `it answered HTTP ${status} without a token` };
  if (isTransientStatus(status)) return { kind: 'broken', what: `it answered HTTP ${status}` };
  return { kind: 'refused', description: descriptionOf(body) };
}

function parseBody(text: string, contentType: string): { readonly [field: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // GitHub and others of the first hour answer as the form was sent.
    if (!/^application\/x-www-form-urlencoded|^text\/plain/iu.test(contentType) || !FORM.test(text)) return undefined;
    return Object.fromEntries(new URLSearchParams(text));
  }
}

const FORM = /(?:^|&)(?:access_token|error)=/u;

/** What is known, without fields that are null; and `0` for a time that is no number: then it is over. */
function sane(body: { readonly [field: string]: unknown }): { readonly [field: string]: unknown } {
  const fields = FIELDS.map((field) => [field, body[field]] as const);
  const kept: Record<string, unknown> = Object.fromEntries(
    fields.filter(([, value]) => value !== null && value !== undefined),
  );
  const time = kept['expires_in'];
  if (time !== undefined && (time === '' || !Number.isFinite(Number(time)))) kept['expires_in'] = 0;
  return kept;
}

const FIELDS = ['access_token', 'token_type', 'expires_in', 'refresh_token', 'id_token', 'scope', 'issued_token_type'];

function codeOf(error: unknown): string | undefined {
  const code = isObject(error) ? (error['code'] ?? error['type'] ?? error['status']) : error;
  if (typeof code !== 'string' || code === '') return undefined;
  return ENDED.has(code.toLowerCase()) ? 'invalid_grant' : code;
}

/** What servers say instead of invalid_grant. `expired_token` is not among them: it ends a device code, not a sign-in. */
const ENDED: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_refresh_token',
  'expired_refresh_token',
  'refresh_token_expired',
  'refresh_token_invalid',
  'refresh_token_revoked',
  'refresh_token_not_found',
  'bad_refresh_token',
  'bad_verification_code',
  'token_expired',
  'token_revoked',
  'token_not_found',
  'token_inactive',
  'invalid_token',
  'revoked_token',
]);

function descriptionOf(body: { readonly [field: string]: unknown }): string | undefined {
  const { error } = body;
  const texts = [body['error_description'], body['message'], isObject(error) ? error['message'] : undefined];
  return texts.find((text): text is string => typeof text === 'string');
}

function toJson(body: unknown, status: number, { headers }: Response): Response {
  const kept = new Headers({ 'content-type': 'application/json' });
  const nonce = headers.get('dpop-nonce');
  if (nonce !== null) kept.set('dpop-nonce', nonce);
  return new Response(JSON.stringify(body), { status, headers: kept });
}
