import { editDistance } from '../base/nearest.js';
import { canonicalUrl } from '../model/canonical-url.js';
import { isObject } from '../transports/fields.js';
import type { Target } from '../transports/kind.js';
import { parseUrl, serverUrlOf } from './signature.js';
import { matchesWildcard } from './wildcard.js';

export type PolicyEntry =
  | { readonly kind: 'name'; readonly serverName: string }
  | { readonly kind: 'command'; readonly serverCommand: readonly string[] }
  | { readonly kind: 'url'; readonly serverUrl: string };

/** The lists of one file. An absent list admits everything, an empty one nothing. */
export interface Policy {
  readonly file: string;
  readonly allowed?: readonly PolicyEntry[];
  readonly denied: readonly PolicyEntry[];
  /** Why nothing may run: a list that cannot be understood must not let through what it was to stop. */
  readonly closed?: string;
}

export type PolicyVerdict =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'denied'; readonly by: 'deny-list' | 'allow-list' | 'closed-policy'; readonly reason: string };

export interface PolicySubject {
  readonly name: string;
  readonly target: Target;
}

/** Deny wins over everything; then every file that has an allow list must admit the server, by any of its entries. */
export function decidePolicy(policies: readonly Policy[], subject: PolicySubject): PolicyVerdict {
  for (const { closed, denied, file } of policies) {
    if (closed !== undefined) return { kind: 'denied', by: 'closed-policy', reason: closed };
    const rule = denied.find((entry) => denies(entry, subject));
    if (rule) return { kind: 'denied', by: 'deny-list', reason: `denied by ${describeEntry(rule)} in ${file}` };
  }
  for (const { allowed, file } of policies) {
    if (allowed && !allows(allowed, subject))
      return { kind: 'denied', by: 'allow-list', reason: `not on the allow list in ${file}` };
  }
  return { kind: 'admitted' };
}

/** Names are what anyone can choose, so a list that pins commands, or URLs, admits those by nothing else. */
function allows(entries: readonly PolicyEntry[], { name, target }: PolicySubject): boolean {
  const pinned = entries.some((entry) => entry.kind === target.kind);
  return entries.some((entry) => {
    if (entry.kind === 'name') return !pinned && entry.serverName === name;
    if (entry.kind === 'command') return target.kind === 'command' && matchesArgv(entry.serverCommand, target.argv);
    return (
      target.kind === 'url' &&
      matchesUrl(entry.serverUrl, target.url) &&
      matchesUrl(entry.serverUrl, serverUrlOf(target.url))
    );
  });
}

/** A deny entry also stops the other spellings of what it names. */
function denies(entry: PolicyEntry, { name, target }: PolicySubject): boolean {
  if (entry.kind === 'name') return entry.serverName === name;
  if (entry.kind === 'command') {
    return target.kind === 'command' && spellingsOf(target.argv).some((argv) => matchesArgv(entry.serverCommand, argv));
  }
  return (
    target.kind === 'url' &&
    (matchesUrl(entry.serverUrl, target.url) || matchesUrl(entry.serverUrl, serverUrlOf(target.url)))
  );
}

function matchesArgv(pattern: readonly string[], argv: readonly string[]): boolean {
  return pattern.length === argv.length && pattern.every((element, index) => matchesWildcard(element, argv[index]!));
}

/** `env A=1 /usr/bin/../bin/npx -y x` runs what `npx -y x` runs. */
function spellingsOf(argv: readonly string[]): readonly (readonly string[])[] {
  const spellings = [argv];
  let current = argv;
  for (let wrappers = 0; wrappers <= WRAPPER_LIMIT; wrappers++) {
    const [command = '', ...rest] = current;
    const program = command
      .split(/[/\\]/u)
      .at(-1)!
      .replace(/\.(exe|cmd|bat|ps1)$/iu, '')
      .toLowerCase();
    spellings.push([program, ...rest]);
    const first = rest.findIndex((argument) => !argument.startsWith('-') && !argument.includes('='));
    if (program !== 'env' || first === -1) break;
    current = rest.slice(first);
    spellings.push(current);
  }
  return spellings;
}

const WRAPPER_LIMIT = 8; // nobody wraps env in env this often without meaning to hide something

/**
 * Component by component, on the canonical URL: a `*` in the host cannot reach into the path, a pattern that names a
 * host cannot be met by a path or a user that looks like it. No path in the pattern means any path.
 */
export function matchesUrl(pattern: string, text: string): boolean {
  const url = parseUrl(text);
  const wanted = parsePattern(pattern);
  if (!url || !wanted) return pattern === text || pattern === '*';
  const canonical = new URL(canonicalUrl(url));
  const port = canonical.port === '' ? (defaultPorts[canonical.protocol] ?? '') : canonical.port;
  return (
    matchesWildcard(wanted.scheme, canonical.protocol.slice(0, -1)) &&
    matchesWildcard(wanted.host, canonical.hostname) &&
    (wanted.port === undefined
      ? port === (defaultPorts[canonical.protocol] ?? port) || wanted.anyPort
      : matchesWildcard(wanted.port, port)) &&
    (wanted.path === undefined || matchesWildcard(wanted.path, canonical.pathname)) &&
    (wanted.query === undefined || matchesWildcard(wanted.query, canonical.search.slice(1)))
  );
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
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*|\*):\/\/)?(\[[^\]]*\]|[^/?#:@\\]*)(?::(\d{1,5}|\*))?(\/[^?#]*)?(?:\?([^#]*))?$/u.exec(
      pattern.trim(),
    );
  if (!parts || parts[2] === undefined || parts[2] === '') return undefined;
  const scheme = (parts[1] ?? '*').toLowerCase();
  const port = parts[3] === defaultPorts[`${scheme}:`] ? undefined : parts[3];
  return {
    scheme,
    host: toHostPattern(parts[2]),
    port,
    // A host of stars alone says "anywhere", ports included; any other pattern means the scheme's own port.
    anyPort: /^\*+$/u.test(parts[2]),
    path: parts[4] === undefined ? undefined : toPathPattern(parts[4]),
    query: parts[5],
  };
}

/** The host in the form canonicalUrl gives it, star by star: lower case, punycode, no trailing dot. */
function toHostPattern(host: string): string {
  const bare = host.replace(/\.$/u, '').toLowerCase();
  const stand = bare.replaceAll('*', 'wildcard-stand-in');
  const parsed = parseUrl(`https://${stand}/`);
  return parsed ? parsed.hostname.replaceAll('wildcard-stand-in', '*') : bare;
}

/** The path in canonical form, so that a pattern written `%74ools` still means `tools`. */
function toPathPattern(path: string): string {
  const parsed = parseUrl(`https://host${path}`);
  return parsed ? new URL(canonicalUrl(parsed)).pathname : path;
}

function describeEntry(entry: PolicyEntry): string {
  if (entry.kind === 'name') return `{ serverName: ${JSON.stringify(entry.serverName)} }`;
  if (entry.kind === 'command') return `{ serverCommand: ${JSON.stringify(entry.serverCommand)} }`;
  return `{ serverUrl: ${JSON.stringify(entry.serverUrl)} }`;
}

/** The lists of a settings object; a near miss of their names must not pass for an absent list. What cannot be understood closes the policy and says which line to mend. */
export function parsePolicy(settings: { readonly [field: string]: unknown }, file: string): Policy {
  for (const key of Object.keys(settings)) {
    const meant = listNames.find((name) => name !== key && editDistance(name.toLowerCase(), key.toLowerCase(), 2) <= 2);
    if (meant !== undefined && !listNames.includes(key)) {
      return { file, denied: [], closed: `${file} has "${key}", which is no list; did you mean "${meant}"?` };
    }
  }
  try {
    const allowed = Object.hasOwn(settings, 'allowedMcpServers')
      ? parseList(settings['allowedMcpServers'], 'allowedMcpServers')
      : undefined;
    const denied = Object.hasOwn(settings, 'deniedMcpServers')
      ? parseList(settings['deniedMcpServers'], 'deniedMcpServers')
      : [];
    return { file, denied, ...(allowed && { allowed }) };
  } catch (error) {
    return {
      file,
      denied: [],
      closed: `${file}: ${(error as Error).message}, so no server may run until it is mended`,
    };
  }
}

const listNames = ['allowedMcpServers', 'deniedMcpServers'];

function parseList(list: unknown, field: string): PolicyEntry[] {
  if (!Array.isArray(list)) throw new TypeError(`${field} is not an array`);
  return list.map((entry: unknown, index) => {
    const where = `${field}[${index}]`;
    const keys = isObject(entry) ? Object.keys(entry) : [];
    if (!isObject(entry) || keys.length !== 1) {
      throw new TypeError(`${where} is not an object with one of serverName, serverCommand, serverUrl`);
    }
    const { serverName, serverCommand, serverUrl } = entry;
    if (typeof serverName === 'string') return { kind: 'name', serverName };
    if (typeof serverUrl === 'string') return { kind: 'url', serverUrl };
    if (
      Array.isArray(serverCommand) &&
      serverCommand.length > 0 &&
      serverCommand.every((part) => typeof part === 'string')
    ) {
      return { kind: 'command', serverCommand };
    }
    throw new TypeError(
      `${where} has "${keys[0]}", which is not one of serverName, serverCommand, serverUrl in the right form`,
    );
  });
}
