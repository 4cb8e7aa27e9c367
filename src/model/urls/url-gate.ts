import { parseUrl } from '../../base/parse-url.js';
import { canonicalHost, METADATA, type AddressClass, urlAddressClass } from './address-class.js';
import { sameOrigin, toPercent } from './canonical-url.js';

export type Scheme = 'http' | 'https' | 'ws' | 'wss';
export type UrlRefusal = 'too-long' | 'malformed' | 'scheme' | 'userinfo' | 'host' | 'port' | 'address' | 'insecure';
export type UrlWarning =
  | 'plain-http' // the traffic can be read and changed on the way
  | 'punycode'; // the name has letters beyond ASCII, which may look like others

export interface UrlGateOptions {
  /** Who supplied the URL. A user's may be private; a server's may lead anywhere. */
  readonly from: 'user' | 'server';
  /** `fetch`: by this program. `open`: in the browser. `sign-in`: carries credentials, so https only. */
  readonly purpose: 'fetch' | 'open' | 'sign-in';
  /** The server that supplied the URL: a server on this machine or network may name hosts there. */
  readonly origin?: URL;
  /** The base of a relative URL, such as a redirect. */
  readonly base?: URL;
  /** Default: http and https. */
  readonly schemes?: readonly Scheme[];
}

export type GatedUrl =
  | {
      readonly ok: true;
      readonly url: URL;
      /** For fetching, or as one argument: ASCII, with nothing that a shell interprets within quotes. */
      readonly href: string;
      /** For display: host first and in ASCII, truncated if very long. */
      readonly display: string;
      readonly warnings: readonly UrlWarning[];
    }
  | { readonly ok: false; readonly code: UrlRefusal; readonly reason: string };

/**
 * Checks every URL before it is fetched or opened. It judges the text only: a caller that fetches a name must check the
 * resolved addresses by `addressClass`, and every redirect by this function.
 */
export function gateUrl(input: string, options: UrlGateOptions): GatedUrl {
  const parsed = parse(input, options);
  if ('code' in parsed) return { ok: false, ...parsed };
  const { url } = parsed;
  const kind = urlAddressClass(url);
  const refusal = portRefusal(url) ?? addressRefusal(url, kind, options) ?? schemeRefusal(url, kind, options);
  if (refusal !== undefined) return { ok: false, ...refusal };

  const href = hardened(url, options.purpose);
  if (href.length > URL_LIMIT) return { ok: false, ...TOO_LONG };
  const warnings: UrlWarning[] = [];
  if (isInsecure(url) && kind !== 'loopback') warnings.push('plain-http');
  if (url.hostname.split('.').some((label) => label.startsWith('xn--'))) warnings.push('punycode');
  const display = href.length > DISPLAY_LIMIT ? `${href.slice(0, DISPLAY_LIMIT - 1)}…` : href;
  return { ok: true, url: href === url.href ? url : new URL(href), href, display, warnings };
}

const URL_LIMIT = 8192; // more than any browser or proxy accepts
const DISPLAY_LIMIT = 300; // a few lines of a terminal; the host comes first, so it is never cut off

interface Refusal {
  readonly code: UrlRefusal;
  readonly reason: string;
}
const TOO_LONG: Refusal = { code: 'too-long', reason: `The URL is longer than ${URL_LIMIT} characters.` };

/** The parser silently tolerates errors, so the text is checked for them first. */
function parse(input: string, { from, base, schemes = ['http', 'https'] }: UrlGateOptions): { url: URL } | Refusal {
  if (input.length > URL_LIMIT) return TOO_LONG;
  // A user's value from a file often ends in a newline; a server's must not.
  const text = from === 'user' ? input.trim() : input;
  if (UNPRINTABLE.test(text) || text !== text.trim()) {
    return { code: 'malformed', reason: 'The URL contains control or invisible characters, or blanks around it.' };
  }
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    if (base === undefined) return { code: 'malformed', reason: 'The URL is not complete: it has no scheme.' };
  } else if (!schemes.some((allowed) => allowed === scheme)) {
    // A reason is plain ASCII, so `...` marks the cut.
    const found = `The URL begins with ${scheme.slice(0, 20)}${scheme.length > 20 ? '...' : ''}:`;
    return { code: 'scheme', reason: `${found}, and only ${schemes.join(', ')} may be used here.` };
  } else if (!HOST_FOLLOWS.test(text)) {
    return { code: 'host', reason: `The URL has no host: ${scheme}:// must be followed by one.` };
  }
  if (USERINFO.test(text)) {
    return { code: 'userinfo', reason: 'The URL contains a user name or password, which can pass for its host.' };
  }
  if (ZONE.test(text)) return { code: 'host', reason: 'The URL names a network interface (a zone id) in its host.' };
  const url = parseUrl(text, base);
  if (!url) return { code: 'malformed', reason: 'The URL cannot be understood.' };
  // A relative URL inherits them from its base. Assigning serialises the URL again, so only if there is one to clear.
  if (url.username !== '' || url.password !== '') url.username = url.password = '';
  return withPlainHost(url);
}

function withPlainHost(url: URL): { url: URL } | Refusal {
  const host = canonicalHost(url.hostname);
  if (host.split('.').includes('')) return { code: 'host', reason: 'The host of the URL has an empty part.' };
  if (host.length > HOST_LIMIT) return { code: 'host', reason: `The host is longer than ${HOST_LIMIT} characters.` };
  if (url.hostname.endsWith('.')) url.hostname = host;
  return { url };
}

const HOST_LIMIT = 253; // the limit of DNS
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const SCHEME = /^([a-z][a-z\d+.-]*):/i;
const HOST_FOLLOWS = /^[a-z]+:\/\/[^/\\?#]/i;
const USERINFO = /^(?:[a-z]+:)?[/\\]{2,}[^/\\?#]*@/i;
const ZONE = /^(?:[a-z]+:)?[/\\]{2,}\[[^\]]*%/i;

function portRefusal(url: URL): Refusal | undefined {
  if (url.port === '' || !BLOCKED_PORTS.has(Number(url.port))) return undefined;
  return { code: 'port', reason: `Port ${url.port} of ${url.hostname} belongs to another protocol than the web.` };
}

/** A server must not direct this program to hosts that only this machine or network reaches, unless it is there too. */
function addressRefusal(url: URL, kind: AddressClass, { from, origin }: UrlGateOptions): Refusal | undefined {
  if (from === 'user' || kind === 'public' || kind === 'name') return undefined;
  if (origin !== undefined) {
    if (sameOrigin(url, origin)) return undefined;
    const neighbours = kind !== 'reserved' && !METADATA.has(canonicalHost(url.hostname));
    if (neighbours && urlAddressClass(origin) === kind) return undefined;
  }
  return { code: 'address', reason: `A server may not name ${url.hostname}: that address is ${kind}.` };
}

function schemeRefusal(url: URL, kind: AddressClass, options: UrlGateOptions): Refusal | undefined {
  if (!isInsecure(url) || kind === 'loopback') return undefined;
  if (options.purpose === 'sign-in') {
    return { code: 'insecure', reason: `Signing in at ${url.hostname} needs https: anyone on the way could listen.` };
  }
  if (options.from === 'user') return undefined;
  // The user chose an unencrypted connection to this origin, so its other endpoints are no worse.
  const chosen = options.purpose === 'fetch' && options.origin !== undefined && sameOrigin(url, options.origin);
  return chosen ? undefined : { code: 'insecure', reason: `A server may name ${url.hostname} only with encryption.` };
}

function isInsecure(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'ws:';
}

/** Encodes what the URL standard allows but a shell interprets; `;` and `&` of a path only for another program. */
function hardened(url: URL, purpose: UrlGateOptions['purpose']): string {
  const start = `${url.protocol}//${url.host}`;
  if (purpose === 'fetch') return start + (url.pathname + url.search + url.hash).replaceAll(SHELL, toPercent);
  const path = url.pathname.replaceAll(SHELL_IN_PATH, toPercent);
  return start + path + (url.search + url.hash).replaceAll(SHELL_IN_QUERY, toPercent);
}

const SHELL = /["'`^|{}<>\\]|\$(?=\()/g;
const SHELL_IN_QUERY = /["'`^|{}<>\\$();!]/g;
const SHELL_IN_PATH = /["'`^|{}<>\\$();!&]/g;

/** The ports that the Fetch standard blocks, including 0. */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);
