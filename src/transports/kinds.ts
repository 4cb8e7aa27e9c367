import { nearest } from '../base/nearest.js';
import { connectorProxy } from './connector-proxy.js';
import { isObject } from '../base/json.js';
import { shorten } from '../base/shorten.js';
import type { SandboxSettings } from '../edge/sandbox/sandbox.js';
import { meantField } from './field-hints.js';
import { reportBlanks, reportUnknown } from './fields.js';
import { http } from './http/http.js';
import type { ConfigOf, FieldIssue, RawEntry, ServerTarget, TransportKind } from './kind.js';
import { inProcess } from './in-process/in-process.js';
import { sdk } from './in-process/sdk.js';
import { sse, sseIde } from './sse/sse.js';
import { stdio } from './stdio/stdio.js';
import { ws, wsIde } from './ws/ws.js';

/** A new transport is one file beside this one and one name in this list. */
export const kinds = [stdio, http, sse, ws, sseIde, wsIde, sdk, inProcess, connectorProxy] as const;

export type ServerConfig = ConfigOf<(typeof kinds)[number]>;
type AnyKind = TransportKind<ServerConfig>;

export function transportKindOf<Config extends ServerConfig>(config: Config): TransportKind<Config> {
  // The one cast that ties a config to its kind; kinds.test.ts checks that `type` is unique.
  return kinds.find((kind) => kind.type === config.type) as unknown as TransportKind<Config>;
}

/** Where this server is, whatever its kind. */
export function serverTargetOf(config: ServerConfig): ServerTarget {
  return transportKindOf(config).target(config);
}

/** The same server, in such a sandbox if it is of a kind that can be. */
export function confine(config: ServerConfig, settings: SandboxSettings): ServerConfig {
  return transportKindOf(config).confine?.(config, settings) ?? config;
}

/** An entry as written, checked: its config, and every issue with it. No config when one of them is an error. */
export function parseEntry(raw: unknown): { readonly config?: ServerConfig; readonly issues: readonly FieldIssue[] } {
  const issues: FieldIssue[] = [];
  const report = (issue: FieldIssue): void => void issues.push(issue);
  if (!isObject(raw)) {
    const hint = 'Write { "command": "npx", "args": ["-y", "PACKAGE"] }, or { "url": "https://..." }';
    report({ severity: 'error', path: [], message: 'expected an object with "command" or "url"', hint });
    return { issues };
  }
  const kind = findKind(raw, report);
  if (!kind) return { issues };
  reportUnknown(raw, kind.fields, (issue) => {
    if (!isForeignField(issue, kind)) report(issue);
    // What it has is then what it was meant to be, and is not to be removed.
    else if (!isMistyped(raw, issue, kind)) report(misplaced(issue, kind));
  });
  reportBlanks(raw, report);
  const config = kind.parse(raw, report);
  return issues.some(({ severity }) => severity === 'error') ? { issues } : { config, issues };
}

/** A field that another kind has: nobody mistyped it, it is just of no use here. */
function isForeignField({ path }: FieldIssue, kind: AnyKind): boolean {
  return kinds.some((other) => other.type !== kind.type && other.fields.some((field) => field === path[0]));
}

/** A `url` without a `command` in an entry of type stdio, or the other way round: its type is wrong. */
function isMistyped(raw: RawEntry, { path: [field] }: FieldIssue, kind: AnyKind): boolean {
  const needed = kind.fields.includes('command') ? 'command' : 'url';
  return (field === 'url' || field === 'command') && !Object.hasOwn(raw, needed);
}

function misplaced({ path, severity }: FieldIssue, kind: AnyKind): FieldIssue {
  const message = `means nothing for a server of type ${kind.type}; it is kept and not used`;
  return { severity, path, message, hint: `Remove "${path[0]}"` };
}

/** What only shows once variables are expanded: whether the URL is one. */
export function checkConfig(config: ServerConfig): readonly FieldIssue[] {
  const issues: FieldIssue[] = [];
  transportKindOf(config).check(config, (issue) => issues.push(issue));
  return issues;
}

/** The one word for a type that people write in several ways; undefined for a word that means none. */
export function canonicalType(word: unknown): string | undefined {
  return kinds.find((kind) => kind.type === word || kind.aliases.some((alias) => alias === word))?.type;
}

/** The kind that a type word, or without one the fields, ask for. */
function findKind(raw: RawEntry, report: (issue: FieldIssue) => void): AnyKind | undefined {
  const type = Object.hasOwn(raw, 'type') ? raw['type'] : undefined;
  if (type === undefined || type === null) {
    const hasUrl = Object.hasOwn(raw, 'url');
    if (hasUrl && Object.hasOwn(raw, 'command')) {
      report({
        severity: 'error',
        path: [],
        message: 'has both "command" and "url", so its kind is unclear',
        hint: 'Add "type": "stdio" or "type": "http", or remove one of the two',
      });
      return undefined;
    }
    // `serverUrl` of another host is a URL under another name, and told as such.
    const meansUrl = !Object.hasOwn(raw, 'command') && Object.keys(raw).some((field) => meantField(field) === 'url');
    return hasUrl || meansUrl ? http : stdio;
  }
  const found = kinds.find((kind) => kind.type === type || kind.aliases.some((alias) => alias === type));
  if (found) return found;
  // What only an embedding program can serve is no advice for somebody who writes a file.
  const words = kinds.filter(({ origin }) => origin !== 'embedder').map((kind) => kind.type);
  const close = typeof type === 'string' ? nearest(type, words)[0] : undefined;
  report({
    severity: 'error',
    path: ['type'],
    message: `expected one of ${words.join(', ')}, got ${typeof type === 'string' ? `"${shorten(type, 40)}"` : typeof type}`,
    hint: close === undefined ? typeHint(raw) : `Did you mean "${close}"?`,
  });
  return undefined;
}

function typeHint(raw: RawEntry): string {
  if (Object.hasOwn(raw, 'command')) return 'It has a "command": write "type": "stdio", or leave "type" out';
  if (Object.hasOwn(raw, 'url')) return 'It has a "url": write "type": "http", or leave "type" out';
  return 'Leave "type" out for a command, write "http" for a URL';
}
