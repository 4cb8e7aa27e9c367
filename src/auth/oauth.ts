import type * as OAuth from 'oauth4webapi';
import { VERSION } from '../base/version.js';
import type { OAuthContext } from './oauth-context.js';

/** The library that builds, signs and sends the requests of OAuth. Only who signs in loads it. */
export async function loadOAuth(): Promise<OAuthLibrary> {
  return await import('oauth4webapi');
}

export type OAuthLibrary = typeof OAuth;

/** How it sends a request: with our own fetch, which bounds it and decides which hosts may be asked without encryption. */
export function requestOptions(oauth: OAuthLibrary, { fetch, signal }: OAuthContext) {
  return {
    [oauth.customFetch]: fetch,
    [oauth.allowInsecureRequests]: true,
    headers: { 'user-agent': `plugboard/${VERSION}` },
    ...(signal && { signal }),
  };
}

/** What a request is for. What is not asked for by name has no field. */
export function requestFields({ scopes = [], resource = '' }: Asked): Record<string, string> {
  return { ...(scopes.length > 0 && { scope: scopes.join(' ') }), ...(resource !== '' && { resource }) };
}

interface Asked {
  readonly scopes?: readonly string[];
  readonly resource?: string;
}
