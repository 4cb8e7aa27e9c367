import type * as OAuth from 'oauth4webapi';
import { VERSION } from '../base/version.js';
import type { OAuthContext } from './oauth-context.js';

/** Loads oauth4webapi, which builds, signs and sends OAuth requests. Lazy: only a sign-in needs it. */
export async function loadOAuth(): Promise<OAuthLibrary> {
  return await import('oauth4webapi');
}

export type OAuthLibrary = typeof OAuth;

/** Makes the library use our fetch, which bounds requests and decides which hosts may do without encryption. */
export function requestOptions(oauth: OAuthLibrary, { fetch, signal }: OAuthContext) {
  return {
    [oauth.customFetch]: fetch,
    [oauth.allowInsecureRequests]: true,
    headers: { 'user-agent': `plugboard/${VERSION}` },
    ...(signal && { signal }),
  };
}

/** The request's `scope` and `resource` parameters; an empty one is left out. */
export function requestFields({ scopes = [], resource = '' }: Asked): Record<string, string> {
  return { ...(scopes.length > 0 && { scope: scopes.join(' ') }), ...(resource !== '' && { resource }) };
}

interface Asked {
  readonly scopes?: readonly string[];
  readonly resource?: string;
}
