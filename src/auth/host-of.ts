import { parseUrl } from '../base/parse-url.js';

/** The host of a URL for texts that people read, whatever the URL is. */
export function hostOf(url: string): string {
  return parseUrl(url)?.host.slice(0, LONGEST) ?? 'an unreadable URL';
}

const LONGEST = 100;
