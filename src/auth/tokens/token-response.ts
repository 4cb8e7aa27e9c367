// https://www.rfc-editor.org/rfc/rfc6749#section-5
import { isObject, type JsonObject, parseJson } from '../../base/json.js';
import { isTransientStatus, type OAuthErrorPlace, signInFailure, toOAuthResponseError } from '../oauth-error.js';

export type TokenResponse =
  | { readonly kind: 'tokens'; readonly body: JsonObject }
  | {
      readonly kind: 'refused';
      readonly error?: string | undefined;
      readonly description?: string | undefined;
      readonly status: number;
    }
  /** Not from the token endpoint, but a portal, a gateway or a web page; or an empty response. */
  | { readonly kind: 'broken'; readonly what: string };

/**
 * Real servers answer with 200 and an error, with forms, with `ok: false`, and with their own codes for invalid_grant.
 * The library's own readers refuse all that, and check an ID token that nothing here relies on.
 */
export async function readTokenAnswer(response: Response): Promise<TokenResponse> {
  const { status, ok: isOk, headers } = response;
  const text = await response.text();
  const body = parseBody(text, headers.get('content-type') ?? '');
  if (!body) {
    const what = text.trim() === '' ? 'nothing' : /^\s*</u.test(text) ? 'a page' : 'neither JSON nor a form';
    return { kind: 'broken', what: `it answered HTTP ${status} with ${what}` };
  }
  if (isOk && typeof body['access_token'] === 'string' && body['ok'] !== false) return { kind: 'tokens', body };
  const error = codeOf(body['error']);
  if (error !== undefined) return { kind: 'refused', error, description: descriptionOf(body), status };
  if (isOk) return { kind: 'broken', what: `it answered HTTP ${status} without a token` };
  if (isTransientStatus(status)) return { kind: 'broken', what: `it answered HTTP ${status}` };
  return { kind: 'refused', description: descriptionOf(body), status };
}

/** Throws a HostError for a response without tokens. */
export function tokensOf(answer: TokenResponse, place: OAuthErrorPlace): JsonObject {
  if (answer.kind === 'tokens') return answer.body;
  if (answer.kind === 'broken') {
    const hint = 'Try again in a moment; nothing is lost';
    throw signInFailure(`Server "${place.name}": ${place.doing}: ${answer.what}`, { hint, isTransient: true });
  }
  const { error, description, status } = answer;
  throw toOAuthResponseError({ error, description, status: error === 'invalid_grant' ? undefined : status }, place);
}

function parseBody(text: string, contentType: string): JsonObject | undefined {
  const value = parseJson(text);
  if (value !== undefined) return isObject(value) ? value : undefined;
  // GitHub and other early servers answer with a form.
  if (!/^application\/x-www-form-urlencoded|^text\/plain/iu.test(contentType) || !FORM.test(text)) return undefined;
  return Object.fromEntries(new URLSearchParams(text));
}

const FORM = /(?:^|&)(?:access_token|error)=/u;

function codeOf(error: unknown): string | undefined {
  const code = isObject(error) ? (error['code'] ?? error['type'] ?? error['status']) : error;
  if (typeof code !== 'string' || code === '') return undefined;
  return ENDED.has(code.toLowerCase()) ? 'invalid_grant' : code;
}

/** Servers' own codes for invalid_grant. `expired_token` is not among them: it ends a device code, not a sign-in. */
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

function descriptionOf(body: JsonObject): string | undefined {
  const { error } = body;
  const texts = [body['error_description'], body['message'], isObject(error) ? error['message'] : undefined];
  return texts.find((text): text is string => typeof text === 'string');
}
