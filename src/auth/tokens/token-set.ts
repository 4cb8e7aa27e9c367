// https://www.rfc-editor.org/rfc/rfc6749#section-5.1
import { isObject } from '../../base/json.js';
import { Secret } from '../../base/secret.js';
import { splitScopes } from '../../model/oauth-scopes.js';
import type { TokenSet } from '../store/credential-record.js';
import { signInFailure } from '../oauth-error.js';

/** Tokens, and the granted scopes that were not requested. */
export interface NewTokens extends TokenSet {
  readonly unrequestedScopes: readonly string[];
}

export interface TokenSetOptions {
  readonly name: string;
  readonly now: number;
  /** The required type; undefined accepts both. */
  readonly type?: 'Bearer' | 'DPoP' | undefined;
  /** The requested scopes; empty or undefined when the server chose. */
  readonly scopes?: readonly string[] | undefined;
}

/** Throws a HostError for tokens that cannot be put into a header. */
export function toTokenSet(answer: unknown, { name, now, type, scopes = [] }: TokenSetOptions): NewTokens {
  const refuse = (what: string) =>
    signInFailure(`Server "${name}": its authorization server gave ${what}`, { hint: 'Ask its operator to fix this' });
  if (!isObject(answer)) throw refuse('an answer that is not an object');
  const accessToken = answer['access_token'];
  if (typeof accessToken !== 'string' || accessToken === '') throw refuse('no access token');
  if (accessToken.length > TOKEN_LIMIT) throw refuse(`an access token of more than ${TOKEN_LIMIT} characters`);
  if (!HEADER_SAFE.test(accessToken)) throw refuse('an access token with characters that no header may hold');
  const given = typeOf(answer['token_type']);
  if (given === undefined) throw refuse('a token of a type that is neither Bearer nor DPoP');
  if (type !== undefined && given !== type) throw refuse(`a ${given} token where a ${type} token was asked for`);
  const scope = answer['scope'] ?? undefined;
  if (scope !== undefined && typeof scope !== 'string') throw refuse('a scope that is not a string');
  const granted = scope === undefined ? undefined : splitScopes(scope);
  return {
    accessToken: new Secret(accessToken),
    type: given,
    refreshToken: optional(answer['refresh_token'], () => refuse('a refresh token that cannot be stored')),
    idToken: optional(answer['id_token'], () => refuse('an id token that cannot be stored')),
    scope: granted?.join(' '),
    expiresAt: expiryOf(answer['expires_in'], now),
    obtainedAt: now,
    unrequestedScopes: scopes.length === 0 ? [] : (granted ?? []).filter((one) => !scopes.includes(one)),
  };
}

const TOKEN_LIMIT = 65_536;
const LONGEST_LIFE = 315_360_000; // ten years in seconds; more is a mistake, or means for ever
const HEADER_SAFE = /^[\x21-\x7e]+$/u;
const PRINTABLE = /^[\x20-\x7e]+$/u;

function typeOf(type: unknown): TokenSet['type'] | undefined {
  const name = typeof type === 'string' ? type.toLowerCase() : '';
  if (name === 'bearer') return 'Bearer';
  return name === 'dpop' ? 'DPoP' : undefined;
}

function optional(value: unknown, refuse: () => Error): Secret | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string' || value.length > TOKEN_LIMIT || !PRINTABLE.test(value)) throw refuse();
  return new Secret(value);
}

/** Anything but a positive number gives `now`; `freshnessOf` then leaves refusing the token to the server. */
function expiryOf(seconds: unknown, now: number): number | undefined {
  if (seconds === undefined || seconds === null) return undefined;
  const life = typeof seconds === 'number' || typeof seconds === 'string' ? Number(seconds) : NaN;
  if (Number.isNaN(life) || life <= 0) return now;
  return now + Math.min(life, LONGEST_LIFE) * 1_000;
}
