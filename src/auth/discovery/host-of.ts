import { parseUrl } from '../../base/parse-url.js';
import { shorten } from '../../base/shorten.js';
import { gateLine } from '../../model/text/text-gate.js';

/** The host of a URL, for messages; never throws. */
export function hostOfUrl(url: string): string {
  const host = parseUrl(url)?.host;
  return host === undefined ? 'an unreadable URL' : shorten(host, LONGEST);
}

/** An issuer as the server spells it, cleaned for messages. */
export function shownIssuer(issuer: string): string {
  return gateLine(issuer, { limit: 200 }).text;
}

const LONGEST = 100;
