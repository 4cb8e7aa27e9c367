import { parseUrl } from '../../base/parse-url.js';
import { canonicalHost } from '../../model/urls/address-class.js';
import { canonicalUrl } from '../../model/urls/canonical-url.js';
import { matchesWildcard } from '../../model/text/wildcard.js';

/**
 * Matches each component of the canonical URL separately: a `*` in the host cannot reach into the path, and a path or
 * user that looks like a host cannot match one. A pattern without a path matches any path. In doubt a pattern denies
 * more than it allows: a deny pattern covers every port and a path with or without a final slash; an allow pattern only
 * the scheme's default port and paths that cannot be read in two ways.
 */
export function matchesUrl(pattern: string, text: string, purpose: 'allow' | 'deny'): boolean {
  const url = parseUrl(text);
  const wanted = parsePattern(pattern);
  if (!url || !wanted) return pattern === text || pattern === '*';
  const canonical = parseUrl(canonicalUrl(url));
  if (!canonical) return false; // a host of dots alone, which the URL gate refuses
  return (
    matchesWildcard(wanted.scheme, canonical.protocol.slice(0, -1)) &&
    matchesWildcard(wanted.host, canonical.hostname) &&
    matchesPort(wanted, canonical, purpose) &&
    matchesPath(wanted.path, canonical.pathname, purpose) &&
    (wanted.query === undefined || matchesWildcard(wanted.query, canonical.search.slice(1)))
  );
}

function matchesPort(wanted: UrlPattern, { port, protocol }: URL, purpose: 'allow' | 'deny'): boolean {
  const usual = defaultPorts[protocol] ?? '';
  if (wanted.port !== undefined) return matchesWildcard(wanted.port, port === '' ? usual : port);
  return purpose === 'deny' || wanted.anyPort || port === '' || port === usual;
}

/** `/mcp/` and `/mcp` are the same resource on most servers. */
function withoutSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/$/u, '') : path;
}

function matchesPath(wanted: string | undefined, path: string, purpose: 'allow' | 'deny'): boolean {
  if (wanted === undefined || wanted === '/*') return true;
  if (purpose === 'allow') return !/%(?:2f|5c|25)/iu.test(path) && matchesWildcard(wanted, path);
  return matchesWildcard(wanted, path) || matchesWildcard(withoutSlash(wanted), withoutSlash(path));
}

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443' };

interface UrlPattern {
  readonly scheme: string;
  readonly host: string;
  readonly port: string | undefined;
  readonly anyPort: boolean;
  readonly path: string | undefined;
  readonly query: string | undefined;
}

/** Splits a pattern by its own syntax: a URL parser accepts no `*` as a host. */
function parsePattern(pattern: string): UrlPattern | undefined {
  const parts =
    /^(?:([a-z*][a-z0-9+.*-]*):\/\/|(?![^/?#]*:\/\/))(\[[^\]]*\]|[^/?#:@\\]+)(?::(\d{0,5}|\*))?(\/[^?#]*)?(?:\?([^#]*))?$/iu.exec(
      pattern.trim(),
    );
  const host = parts?.[2] === undefined ? undefined : toHostPattern(parts[2]);
  if (!parts || host === undefined) return undefined;
  const scheme = (parts[1] ?? '*').toLowerCase();
  const port = parts[3] === '*' || !parts[3] ? parts[3] : String(Number(parts[3]));
  if (Number(port) > 65_535) return undefined;
  return {
    scheme,
    host,
    port: port === '' ? undefined : port,
    // A host of stars alone means anywhere, at any port; other patterns mean the scheme's default port.
    anyPort: port === undefined && /^\*+$/u.test(host),
    path: parts[4] === undefined ? undefined : canonicalParts(parts[4]).pathname,
    query: parts[5] === undefined ? undefined : canonicalParts(`/?${parts[5]}`).search.slice(1),
  };
}

/** The host in the form of `canonicalUrl`, stars kept: lower case, punycode, no trailing dot. */
function toHostPattern(host: string): string | undefined {
  const bare = host.replace(/\.+$/u, '').toLowerCase();
  // Punycode rearranges the letters of a label, so a label with a star and non-ASCII letters cannot be compared.
  if (bare.split('.').some((label) => label.includes('*') && !/^[\w*[\]:-]*$/u.test(label))) return undefined;
  const parsed = parseUrl(`https://${bare.replaceAll('*', 'wildcard-stand-in')}/`);
  if (parsed) return canonicalHost(parsed.hostname).replaceAll('wildcard-stand-in', '*');
  return bare.includes('*') ? bare : undefined; // `10.*.*.1` is no host, but matches hosts
}

/** Path and query in canonical form, so that the pattern `%74ools` means `tools`. */
function canonicalParts(written: string): URL {
  return new URL(canonicalUrl(new URL(`https://host${written}`)));
}

/** Whether a text is a pattern: one that can never match must be reported, not accepted. */
export function isUrlPattern(text: string): boolean {
  return parsePattern(text) !== undefined;
}
