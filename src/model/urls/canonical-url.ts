import { canonicalHost } from './address-class.js';

/**
 * A URL in canonical form, for policies and signatures: equivalent URLs become equal. Never for fetching, because it
 * drops user names, fragments and path parameters (`/tools/..;/admin`).
 */
export function canonicalUrl(url: URL): string {
  if (!HIERARCHICAL.has(url.protocol)) return withoutFragment(url);
  return `${canonicalOrigin(url)}${canonicalPath(url.pathname)}${normalized(url.search, QUERY)}`;
}

/** Scheme, host and port, as `https://mcp.company.com`; a default port is omitted. */
export function canonicalOrigin(url: URL): string {
  const port = url.port === '' ? '' : `:${url.port}`;
  return `${url.protocol}//${canonicalHost(url.hostname)}${port}`;
}

/** Whether a redirect or response stays at the request's origin. A URL that is no web address has no origin. */
export function sameOrigin(a: URL, b: URL): boolean {
  return HIERARCHICAL.has(a.protocol) && canonicalOrigin(a) === canonicalOrigin(b);
}

const HIERARCHICAL: ReadonlySet<string> = new Set(['http:', 'https:', 'ws:', 'wss:']);

/** Servers treat parameters and double slashes differently, so a rule must hold for the most permissive reading. */
function canonicalPath(path: string): string {
  const kept: string[] = [];
  let open = true; // whether the path ends in a slash
  for (const segment of path.split('/')) {
    const [name = ''] = segment.split(';', 1);
    const decoded = normalized(name, PATH);
    open = decoded === '' || decoded === '.' || decoded === '..';
    if (decoded === '..') kept.pop();
    else if (!open) kept.push(decoded);
  }
  return kept.length === 0 ? '/' : `/${kept.join('/')}${open ? '/' : ''}`;
}

interface Component {
  /** Characters that mean the same encoded and plain: written plain. */
  readonly plain: RegExp;
  /** Characters that mean something else when encoded: both forms stay. */
  readonly meaningful: RegExp;
}
// A decoded `;` would become a parameter, and a decoded `*` a wildcard of a rule.
const PATH: Component = { plain: /^[\w.~!$&'(),+=:@-]$/, meaningful: /^[*]$/ };
const QUERY: Component = { plain: /^[\w.~-]$/, meaningful: /^[!$&()*+,;=:@/?]$/ };

/** Percent-encodes what has to be encoded, decodes what need not be, and writes the digits in upper case. */
function normalized(text: string, { plain, meaningful }: Component): string {
  return text.replaceAll(/%[0-9a-f]{2}|[^\w.~-]/gi, (match) => {
    if (match.length === 3) {
      const character = String.fromCharCode(Number.parseInt(match.slice(1), 16));
      return plain.test(character) ? character : match.toUpperCase();
    }
    // A bare `%` becomes `%25`, or decoding could make it an escape with what follows: `%%32%65`.
    return plain.test(match) || meaningful.test(match) ? match : toPercent(match);
  });
}

/** Percent-encodes an ASCII character. */
export function toPercent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

function withoutFragment(url: URL): string {
  const bare = new URL(url);
  bare.hash = '';
  return bare.href;
}
