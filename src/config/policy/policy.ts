import { editDistance } from '../../base/nearest.js';
import { gateLine } from '../../model/text/text-gate.js';
import { isObject } from '../../base/json.js';
import type { FieldIssue, ServerTarget } from '../../transports/kind.js';
import { parseSandbox } from '../../transports/stdio/sandbox-fields.js';
import { matchesArgv, spellingsOf } from '../risks/command-pattern.js';
import { toFieldPath } from '../problem.js';
import type { RequiredSandbox } from './required-sandbox.js';
import { addressesOf } from '../entries/signature.js';
import { isUrlPattern, matchesUrl } from './url-pattern.js';

export type PolicyEntry =
  | { readonly kind: 'name'; readonly serverName: string }
  | { readonly kind: 'command'; readonly serverCommand: readonly string[] }
  | { readonly kind: 'url'; readonly serverUrl: string };

/** The lists of one file. An absent allow list admits everything, an empty one nothing. */
export interface Policy {
  readonly file: string;
  readonly allowed?: readonly PolicyEntry[];
  readonly denied: readonly PolicyEntry[];
  /** Every process must run in a sandbox. One file that says so is enough. */
  readonly requireSandbox?: RequiredSandbox;
  /** Why nothing may run: a malformed list must not admit what it was meant to stop. */
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
  readonly target: ServerTarget;
}

/** Deny wins over everything; then every file with an allow list must admit the server by one of its entries. */
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
 * Anyone can choose a name, so a list with commands admits commands only by those, and likewise URLs. A proxy and the
 * server behind it must both be on the list.
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

/** A deny entry also matches other spellings of what it names. */
function denies(entry: PolicyEntry, { name, target }: PolicySubject): boolean {
  if (entry.kind === 'name') return fold(entry.serverName) === fold(name);
  if (entry.kind === 'command') {
    return target.kind === 'command' && spellingsOf(target.argv).some((argv) => matchesArgv(entry.serverCommand, argv));
  }
  return target.kind === 'url' && addressesOf(target).some((address) => matchesUrl(entry.serverUrl, address, 'deny'));
}

/** Names that look the same to people are equal. */
function fold(name: string): string {
  return gateLine(name).text.normalize('NFKC').trim().toLowerCase();
}

function describeEntry(entry: PolicyEntry): string {
  if (entry.kind === 'name') return `{ serverName: ${JSON.stringify(entry.serverName)} }`;
  if (entry.kind === 'command') return `{ serverCommand: ${JSON.stringify(entry.serverCommand)} }`;
  return `{ serverUrl: ${JSON.stringify(entry.serverUrl)} }`;
}

/**
 * Parses the lists of a settings object. A misspelt or malformed list closes the policy with the field to repair,
 * instead of counting as absent.
 */
export function parsePolicy(
  settings: { readonly [field: string]: unknown },
  { file, by }: { readonly file: string; readonly by: RequiredSandbox['by'] },
): Policy {
  for (const key of Object.keys(settings)) {
    const meant = policyNames.includes(key) ? undefined : nearMissOf(key);
    if (meant !== undefined) {
      const what = meant === REQUIRE_SANDBOX ? 'Plugboard does not read' : 'is not a list';
      return closedPolicy(file, {
        field: key,
        reason: `${file} has "${key}", which ${what}; did you mean "${meant}"?`,
      });
    }
  }
  const required = Object.hasOwn(settings, REQUIRE_SANDBOX) ? settings[REQUIRE_SANDBOX] : false;
  if (typeof required !== 'boolean' && !isObject(required)) {
    const reason = `${file}: ${REQUIRE_SANDBOX} is neither true nor false, so no server may run until this is fixed`;
    return closedPolicy(file, { field: REQUIRE_SANDBOX, reason });
  }
  const issues: FieldIssue[] = [];
  const sandbox = parseSandbox(required, (issue) => issues.push(issue), REQUIRE_SANDBOX);
  if (issues[0]) {
    const reason = `${file}: ${toFieldPath(issues[0].path)} ${issues[0].message}, so no server may run until this is fixed`;
    return closedPolicy(file, { field: REQUIRE_SANDBOX, reason });
  }
  const lists = listNames.map((field) =>
    Object.hasOwn(settings, field) ? parseList(settings[field], field) : undefined,
  );
  const wrong = lists.find((list) => list?.kind === 'wrong');
  if (wrong?.kind === 'wrong') {
    const { message, field } = wrong;
    return closedPolicy(file, { field, reason: `${file}: ${message}, so no server may run until this is fixed` });
  }
  const [allowed, denied] = lists.map((list) => (list?.kind === 'list' ? list.entries : undefined));
  return {
    file,
    denied: denied ?? [],
    ...(allowed && { allowed }),
    ...(sandbox && { requireSandbox: { by, file, gives: sandbox === true ? {} : sandbox } }),
  };
}

export function closedPolicy(file: string, closed: NonNullable<Policy['closed']>): Policy {
  return { file, denied: [], closed };
}

export const listNames: readonly string[] = ['allowedMcpServers', 'deniedMcpServers'];
export const REQUIRE_SANDBOX = 'requireSandbox';
export const policyNames: readonly string[] = [...listNames, REQUIRE_SANDBOX];

/** The name that was meant: up to two letters off, or other common words, such as `blocked_mcp_servers`. */
function nearMissOf(key: string): string | undefined {
  const words = /^(allow(?:ed)?|den(?:y|ied)|block(?:ed)?)[_-]?mcp[_-]?servers?$/iu.exec(key);
  if (words) return words[1]!.toLowerCase().startsWith('allow') ? listNames[0] : listNames[1];
  const letters = key.replaceAll(/[_-]/gu, '');
  if (/^(?:require|force|enforce|need)s?d?(?:mcp)?sandbox(?:es|ed|ing)?$/iu.test(letters)) return REQUIRE_SANDBOX;
  return policyNames.find((name) => editDistance(name.toLowerCase(), key.toLowerCase(), 2) <= 2);
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

/** The entry, or a message about what is wrong with it. */
function parseEntry(entry: unknown): PolicyEntry | string {
  const keys = isObject(entry) ? Object.keys(entry) : [];
  if (!isObject(entry) || keys.length !== 1) return 'is not an object with one of serverName, serverCommand, serverUrl';
  const { serverName, serverCommand, serverUrl } = entry;
  if (typeof serverName === 'string') return { kind: 'name', serverName };
  if (typeof serverUrl === 'string') {
    return isUrlPattern(serverUrl) ? { kind: 'url', serverUrl } : 'has a serverUrl that is not a URL pattern';
  }
  const isCommand =
    Array.isArray(serverCommand) && serverCommand.length > 0 && serverCommand.every((part) => typeof part === 'string');
  if (isCommand) return { kind: 'command', serverCommand };
  return `has "${keys[0]}", which is not one of serverName, serverCommand, serverUrl in the right form`;
}
