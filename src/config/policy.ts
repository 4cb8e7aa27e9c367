import { editDistance } from '../base/nearest.js';
import { canonicalHost } from '../model/address-class.js';
import { canonicalUrl } from '../model/canonical-url.js';
import { gateLine } from '../model/text-gate.js';
import { isObject } from '../base/json.js';
import type { Target } from '../transports/kind.js';
import { addressesOf, parseUrl } from './signature.js';
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
  readonly closed?: { readonly reason: string; readonly field?: string };
}

export type PolicyVerdict =
  | { readonly kind: 'admitted' }
  | {
      readonly kind: 'denied';
      readonly by: 'deny-list' | 'allow-list' | 'closed-policy';
      readonly file: string;
      readonly reason: string;
    };

export interface PolicySubject {
  readonly name: string;
  readonly target: Target;
}

/** Deny wins over everything; then every file that has an allow list must admit the server, by any of its entries. */
export function decidePolicy(policies: readonly Policy[], subject: PolicySubject): PolicyVerdict {
  for (const { closed, denied, file } of policies) {
    if (closed) return { kind: 'denied', by: 'closed-policy', file, reason: closed.reason };
    const rule = denied.find((entry) => denies(entry, subject));
    if (rule) return { kind: 'denied', by: 'deny-list', file, reason: `denied by ${describeEntry(rule)} in ${file}` };
  }
  for (const { allowed, file } of policies) {
    if (allowed && !allows(allowed, subject))
      return { kind: 'denied', by: 'allow-list', file, reason: `not on the allow list in ${file}` };
  }
  return { kind: 'admitted' };
}

/**
 * Names are what anyone can choose, so a list that pins commands, or URLs, admits those by nothing else. A proxy and what
 * is behind it must both be on the list.
 */
function allows(entries: readonly PolicyEntry[], { name, target }: PolicySubject): boolean {
  if (!entries.some((entry) => entry.kind === target.kind)) {
    return entries.some((entry) => entry.kind === 'name' && entry.serverName === name);
  }
  if (target.kind === 'command') {
    return entries.some((entry) => entry.kind === 'command' && matchesArgv(entry.serverCommand, target.argv));
  }
  if (target.kind !== 'url') return false;
  return addressesOf(target).every((address) =>
    entries.some((entry) => entry.kind === 'url' && matchesUrl(entry.serverUrl, address, 'allow')),
  );
}

/** A deny entry also stops the other spellings of what it names. */
function denies(entry: PolicyEntry, { name, target }: PolicySubject): boolean {
  if (entry.kind === 'name') return fold(entry.serverName) === fold(name);
  if (entry.kind === 'command') {
    return target.kind === 'command' && spellingsOf(target.argv).some((argv) => matchesArgv(entry.serverCommand, argv));
  }
  return target.kind === 'url' && addressesOf(target).some((address) => matchesUrl(entry.serverUrl, address, 'deny'));
}

/** What people would read as the same name. */
function fold(name: string): string {
  return gateLine(name).text.normalize('NFKC').trim().toLowerCase();
}

function matchesArgv(pattern: readonly string[], argv: readonly string[]): boolean {
  return pattern.length === argv.length && pattern.every((element, index) => matchesWildcard(element, argv[index]!));
}

/** `env A=1 /usr/bin/../bin/npx -y x` runs what `npx -y x` runs, and so does `cmd /c npx -y x`. */
function spellingsOf(argv: readonly string[]): readonly (readonly string[])[] {
  const spellings = [argv];
  let current: readonly string[] | undefined = argv;
  for (let wrappers = 0; current && wrappers <= WRAPPER_LIMIT; wrappers++) {
    const [command = '', ...rest]: readonly string[] = current;
    const program: string = command
      .trim()
      .split(/[/\\]/u)
      .at(-1)!
      .replace(/\.(exe|cmd|bat|ps1)$/iu, '')
      .toLowerCase();
    spellings.push([program, ...rest]);
    current = unwrapCommand(program, rest);
    if (current) spellings.push(current);
  }
  return spellings;
}

/** What a program that only starts another one starts. */
function unwrapCommand(program: string, args: readonly string[]): readonly string[] | undefined {
  if (program === 'env') return withoutEnv(args);
  if (program === 'cmd') return withoutCmd(args);
  if (/^(?:ba|da|z|k)?sh$/u.test(program)) {
    const script = args[args.findIndex((argument) => /^-[a-z]*c[a-z]*$/u.test(argument)) + 1];
    return args.length > 1 && script !== undefined ? script.trim().split(/\s+/u) : undefined;
  }
  if (!starters.includes(program)) return undefined;
  const first = args.findIndex((argument) => !/^(?:-|\d)/u.test(argument));
  return first === -1 ? undefined : args.slice(first);
}

const starters = [
  'nice',
  'nohup',
  'timeout',
  'setsid',
  'stdbuf',
  'time',
  'sudo',
  'doas',
  'xargs',
  'command',
  'exec',
  'ionice',
];
const WRAPPER_LIMIT = 8; // nobody wraps env in env this often without meaning to hide something

/** What `env` runs: behind its options, some of which take a word more, and its assignments. */
function withoutEnv(args: readonly string[]): readonly string[] | undefined {
  let first = 0;
  for (; first < args.length; first++) {
    const argument = args[first]!;
    const split = /^(?:-\w*S|--split-string=?)(.*)$/su.exec(argument);
    if (split) {
      const words = split[1] === '' ? args.slice(first + 1) : [split[1]!, ...args.slice(first + 1)];
      return withoutEnv([...(words[0] ?? '').split(/\s+/u).filter(Boolean), ...words.slice(1)]);
    }
    if (/^(?:-\w*[uC]|--unset|--chdir)$/u.test(argument)) first++;
    else if (!argument.startsWith('-') && !argument.includes('=')) break;
  }
  return first < args.length ? args.slice(first) : undefined;
}

function withoutCmd(args: readonly string[]): readonly string[] | undefined {
  const first = args.findIndex((argument) => !/^\/[a-z]$/iu.test(argument));
  return first > 0 ? args.slice(first) : undefined;
}

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

function describeEntry(entry: PolicyEntry): string {
  if (entry.kind === 'name') return `{ serverName: ${JSON.stringify(entry.serverName)} }`;
  if (entry.kind === 'command') return `{ serverCommand: ${JSON.stringify(entry.serverCommand)} }`;
  return `{ serverUrl: ${JSON.stringify(entry.serverUrl)} }`;
}

/**
 * The lists of a settings object; a near miss of their names must not pass for an absent list. What cannot be understood
 * closes the policy and says which line to mend.
 */
export function parsePolicy(settings: { readonly [field: string]: unknown }, file: string): Policy {
  for (const key of Object.keys(settings)) {
    const meant = listNames.includes(key) ? undefined : nearMissOf(key);
    if (meant !== undefined) {
      return closedPolicy(file, {
        field: key,
        reason: `${file} has "${key}", which is no list; did you mean "${meant}"?`,
      });
    }
  }
  const lists = listNames.map((field) =>
    Object.hasOwn(settings, field) ? parseList(settings[field], field) : undefined,
  );
  const wrong = lists.find((list) => list?.kind === 'wrong');
  if (wrong?.kind === 'wrong') {
    const { message, field } = wrong;
    return closedPolicy(file, { field, reason: `${file}: ${message}, so no server may run until it is mended` });
  }
  const [allowed, denied] = lists.map((list) => (list?.kind === 'list' ? list.entries : undefined));
  return { file, denied: denied ?? [], ...(allowed && { allowed }) };
}

export function closedPolicy(file: string, closed: NonNullable<Policy['closed']>): Policy {
  return { file, denied: [], closed };
}

const listNames = ['allowedMcpServers', 'deniedMcpServers'];

/** A letter or two off, or the other words that people have for the same: `denyMcpServers`, `blocked_mcp_servers`. */
function nearMissOf(key: string): string | undefined {
  const words = /^(allow(?:ed)?|den(?:y|ied)|block(?:ed)?)[_-]?mcp[_-]?servers?$/iu.exec(key);
  if (words) return words[1]!.toLowerCase().startsWith('allow') ? listNames[0] : listNames[1];
  return listNames.find((name) => editDistance(name.toLowerCase(), key.toLowerCase(), 2) <= 2);
}

type List =
  | { readonly kind: 'list'; readonly entries: readonly PolicyEntry[] }
  | { readonly kind: 'wrong'; readonly field: string; readonly message: string };

function parseList(list: unknown, field: string): List {
  if (!Array.isArray(list)) return { kind: 'wrong', field, message: `${field} is not an array` };
  const entries: PolicyEntry[] = [];
  for (const [index, entry] of list.entries()) {
    const parsed = parseEntry(entry);
    if (typeof parsed === 'string') return { kind: 'wrong', field, message: `${field}[${index}] ${parsed}` };
    entries.push(parsed);
  }
  return { kind: 'list', entries };
}

/** The entry, or what is wrong with it. */
function parseEntry(entry: unknown): PolicyEntry | string {
  const keys = isObject(entry) ? Object.keys(entry) : [];
  if (!isObject(entry) || keys.length !== 1) return 'is not an object with one of serverName, serverCommand, serverUrl';
  const { serverName, serverCommand, serverUrl } = entry;
  if (typeof serverName === 'string') return { kind: 'name', serverName };
  if (typeof serverUrl === 'string') {
    return parsePattern(serverUrl) ? { kind: 'url', serverUrl } : 'has a serverUrl that is no pattern of a URL';
  }
  const isCommand =
    Array.isArray(serverCommand) && serverCommand.length > 0 && serverCommand.every((part) => typeof part === 'string');
  if (isCommand) return { kind: 'command', serverCommand };
  return `has "${keys[0]}", which is not one of serverName, serverCommand, serverUrl in the right form`;
}
