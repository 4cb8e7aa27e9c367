import { parseUrl } from '../../base/parse-url.js';
import { canonicalHost } from '../../model/urls/address-class.js';
import { canonicalUrl } from '../../model/urls/canonical-url.js';
import { matchesWildcard } from '../../model/text/wildcard.js';

/**
 * Component by component, on the canonical URL: a `*` in the host cannot reach into the path, a pattern that names a
 * host cannot be met by a path or a user that looks like it. No path in the pattern means any path. In doubt a pattern
 * stops more than it admits: one that denies means every port and both ways to end a path, one that allows means the
 * scheme's own port and a path that nobody can read in two ways.
 */
export function matchesUrl(pattern: string, text: string, purpose: 'allow' | 'deny'): boolean {
  const url = parseUrl(text);
  const wanted = parsePattern(pattern);
  if (!url || !wanted) return pattern === text || pattern === '*';
  const canonical = parseUrl(canonicalUrl(url));
  if (!canonical) return false; // a host of dots alone: the URL gate refuses it
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

/** `/mcp/` and `/mcp` are the same place on most servers. */
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

/** A pattern is split by its own syntax, not parsed as a URL: `*` is no host that a URL parser knows. */
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
    // A host of stars alone says "anywhere", ports included; any other pattern means the scheme's own port.
    anyPort: port === undefined && /^\*+$/u.test(host),
    path: parts[4] === undefined ? undefined : canonicalParts(parts[4]).pathname,
    query: parts[5] === undefined ? undefined : canonicalParts(`/?${parts[5]}`).search.slice(1),
  };
}

/** The host in the form canonicalUrl gives it, star by star: lower case, punycode, no trailing dot. */
function toHostPattern(host: string): string | undefined {
  const bare = host.replace(/\.+$/u, '').toLowerCase();
  // Punycode mixes the letters of a label, so one with a star and letters beyond ASCII has no form to compare with.
  if (bare.split('.').some((label) => label.includes('*') && !/^[\w*[\]:-]*$/u.test(label))) return undefined;
  const parsed = parseUrl(`https://${bare.replaceAll('*', 'wildcard-stand-in')}/`);
  if (parsed) return canonicalHost(parsed.hostname).replaceAll('wildcard-stand-in', '*');
  return bare.includes('*') ? bare : undefined; // `10.*.*.1` is no host, and matches those that are
}

/** Path and query in canonical form, so that a pattern written `%74ools` still means `tools`. */
function canonicalParts(written: string): URL {
  return new URL(canonicalUrl(new URL(`https://host${written}`)));
}

/** Whether a text is a pattern at all: one that can never match must not pass for one that does. */
export function isUrlPattern(text: string): boolean {
  return parsePattern(text) !== undefined;
}
