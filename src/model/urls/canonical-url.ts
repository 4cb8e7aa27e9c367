import { canonicalHost } from './address-class.js';

/**
 * The one spelling of a URL, for policies and signatures: two that mean the same come out alike. Never for fetching,
 * because it leaves off what does not count there: user names, fragments and path parameters (`/tools/..;/admin`).
 */
export function canonicalUrl(url: URL): string {
  if (!HIERARCHICAL.has(url.protocol)) return withoutFragment(url);
  return `${canonicalOrigin(url)}${canonicalPath(url.pathname)}${normalized(url.search, QUERY)}`;
}

/** Scheme, host and port, as `https://mcp.company.com`; a default port is left off. */
export function canonicalOrigin(url: URL): string {
  const port = url.port === '' ? '' : `:${url.port}`;
  return `${url.protocol}//${canonicalHost(url.hostname)}${port}`;
}

/** Whether a redirect or an answer stays where the request went. An address that is no web address has no origin. */
export function sameOrigin(a: URL, b: URL): boolean {
  return HIERARCHICAL.has(a.protocol) && canonicalOrigin(a) === canonicalOrigin(b);
}

const HIERARCHICAL: ReadonlySet<string> = new Set(['http:', 'https:', 'ws:', 'wss:']);

/** Servers disagree about parameters and double slashes, so a rule must hold for the boldest reading of a path. */
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
  /** What stands as it is and is decoded where it came encoded, because both mean the same. */
  readonly plain: RegExp;
  /** What may stand but means something else when encoded, so both stay as they are. */
  readonly meaningful: RegExp;
}
// `;` would come back as a parameter, and `*` as a wildcard of a rule.
const PATH: Component = { plain: /^[\w.~!$&'(),+=:@-]$/, meaningful: /^[*]$/ };
const QUERY: Component = { plain: /^[\w.~-]$/, meaningful: /^[!$&()*+,;=:@/?]$/ };

/** Percent-encodes what has to be, decodes what need not be, and writes the rest with capital digits. */
function normalized(text: string, { plain, meaningful }: Component): string {
  return text.replaceAll(/%[0-9a-f]{2}|[^\w.~-]/gi, (match) => {
    if (match.length === 3) {
      const character = String.fromCharCode(Number.parseInt(match.slice(1), 16));
      return plain.test(character) ? character : match.toUpperCase();
    }
    // A bare `%` becomes `%25`, or what follows it could turn into an escape once it is decoded: `%%32%65`.
    return plain.test(match) || meaningful.test(match) ? match : toPercent(match);
  });
}

/** A character of ASCII as it stands in a URL where it may mean nothing. */
export function toPercent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

function withoutFragment(url: URL): string {
  const bare = new URL(url);
  bare.hash = '';
  return bare.href;
}
