// RFC 6749 section 4.1.2, https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2
import { parseUrl } from '../../base/parse-url.js';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { AuthorizationResponse } from './authorization-code.js';

/** Reads the query that the browser came back with; undefined when it does not answer the request with this state. */
export function readCallback(query: URLSearchParams, state: string): AuthorizationResponse | undefined {
  for (const name of NAMES) if (query.getAll(name).length > 1) return undefined; // a repeated parameter is an error
  if ((query.get('iss') ?? '').length > VALUE_LIMIT) return undefined; // a dropped `iss` would count as absent
  if (!isSameText(query.get('state') ?? '', state)) return undefined;
  const [code, iss, error, errorDescription] = ['code', 'iss', 'error', 'error_description'].map((name) => {
    const value = query.get(name);
    return value === null || value.length > VALUE_LIMIT ? undefined : value;
  });
  if (code === undefined && error === undefined) return undefined;
  return { code, iss, error, errorDescription };
}

/** Reads what the user pasted: the whole address that the browser ended at, or its query alone. */
export function parsePastedAddress(text: string, redirectUri: string): PastedResponse {
  const pasted = text.trim().replace(/^<(.*)>$|^"(.*)"$|^'(.*)'$/s, '$1$2$3');
  if (pasted.length > PASTE_LIMIT) return { kind: 'not-it', why: `it is longer than ${PASTE_LIMIT} characters` };
  if (/^https?:/i.test(pasted)) {
    const url = parseUrl(pasted);
    if (!url) return { kind: 'not-it', why: 'it cannot be read as an address' };
    const expected = new URL(redirectUri);
    const isHere = LOOPBACK_HOSTS.has(url.hostname) && url.port === expected.port && url.pathname === expected.pathname;
    if (!isHere) return { kind: 'not-it', why: `it does not begin with ${redirectUri}` };
    return { kind: 'query', query: url.searchParams };
  }
  if (/^\??(?:\w+=[^&\s]*&)+\w+=[^&\s]*$/.test(pasted)) return { kind: 'query', query: new URLSearchParams(pasted) };
  return {
    kind: 'not-it',
    why: 'that is only the code: paste the whole address, which also proves that it belongs to this sign-in',
  };
}

export type PastedResponse =
  | { readonly kind: 'query'; readonly query: URLSearchParams }
  | { readonly kind: 'not-it'; readonly why: string };

export const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

const NAMES = ['state', 'code', 'iss', 'error', 'error_description'];
const VALUE_LIMIT = 8192; // some codes are whole encrypted tokens
const PASTE_LIMIT = 16_384;

/** Takes the same time wherever the first difference is, and whatever the lengths are. */
function isSameText(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
