import { parseUrl } from '../base/parse-url.js';
import { type GatedUrl, gateUrl } from '../model/urls/url-gate.js';
import type { SignInTarget } from './sign-in-target.js';

/**
 * The URL gate for whatever a server or its authorization server names. `origins`: what the user wrote down, the server itself
 * first; only next to one of these may an address be private.
 */
export function gateAuth(
  input: string,
  { purpose, origins }: { readonly purpose: 'fetch' | 'open' | 'sign-in'; readonly origins: readonly URL[] },
): GatedUrl {
  const judged = origins.map((origin) => gateUrl(input, { from: 'server', purpose, origin }));
  return judged.find(({ ok }) => ok) ?? judged[0] ?? gateUrl(input, { from: 'server', purpose });
}

/** What the user wrote down about one server: `trusted` of a fetch for it. */
export function originsOf({ url, settings }: SignInTarget): readonly URL[] {
  return [url, settings.authServerMetadataUrl].flatMap((text = '') => parseUrl(text) ?? []);
}
