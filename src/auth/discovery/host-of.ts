import { parseUrl } from '../../base/parse-url.js';
import { shorten } from '../../base/shorten.js';
import { gateLine } from '../../model/text/text-gate.js';

/** The host of a URL for texts that people read, whatever the URL is. */
export function hostOfUrl(url: string): string {
  const host = parseUrl(url)?.host;
  return host === undefined ? 'an unreadable URL' : shorten(host, LONGEST);
}

/** A server's spelling of an address, as it may stand in a text. */
export function shownIssuer(issuer: string): string {
  return gateLine(issuer, { limit: 200 }).text;
}

const LONGEST = 100;
