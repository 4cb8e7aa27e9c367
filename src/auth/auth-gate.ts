import { parseUrl } from '../base/parse-url.js';
import { type GatedUrl, gateUrl } from '../model/urls/url-gate.js';
import type { SignInTarget } from './sign-in-target.js';

/**
 * The URL gate for URLs that a server or its authorization server names. `origins`: the URLs that the user wrote, the
 * server's own first; a named URL may be private only if one of these is.
 */
export function gateAuth(
  input: string,
  { purpose, origins }: { readonly purpose: 'fetch' | 'open' | 'sign-in'; readonly origins: readonly URL[] },
): GatedUrl {
  const judged = origins.map((origin) => gateUrl(input, { from: 'server', purpose, origin }));
  return judged.find(({ ok }) => ok) ?? judged[0] ?? gateUrl(input, { from: 'server', purpose });
}

/** The URLs that the user wrote into the entry: the server's own, then `authServerMetadataUrl`. */
export function originsOf({ url, settings }: SignInTarget): readonly URL[] {
  return [url, settings.authServerMetadataUrl].flatMap((text = '') => parseUrl(text) ?? []);
}
