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

/** All kinds of transport. A new one is a file beside this one and a name in this list. */
export const kinds = [stdio, http, sse, ws, sseIde, wsIde, sdk, inProcess, connectorProxy] as const;

export type ServerConfig = ConfigOf<(typeof kinds)[number]>;
type AnyKind = TransportKind<ServerConfig>;

export function transportKindOf<Config extends ServerConfig>(config: Config): TransportKind<Config> {
  // The one cast that ties a config to its kind; kinds.test.ts checks that `type` is unique.
  return kinds.find((kind) => kind.type === config.type) as unknown as TransportKind<Config>;
}

export function serverTargetOf(config: ServerConfig): ServerTarget {
  return transportKindOf(config).target(config);
}

/** The config with this sandbox; unchanged for kinds that start no process. */
export function confine(config: ServerConfig, settings: SandboxSettings): ServerConfig {
  return transportKindOf(config).confine?.(config, settings) ?? config;
}

/** Checks an entry as written. Returns every issue, and no config when one of them is an error. */
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
    // When the type is wrong, the field is right and must not be removed.
    else if (!isMistyped(raw, issue, kind)) report(misplaced(issue, kind));
  });
  reportBlanks(raw, report);
  const config = kind.parse(raw, report);
  return issues.some(({ severity }) => severity === 'error') ? { issues } : { config, issues };
}

/** Whether another kind has this field: then it is no typo, but useless here. */
function isForeignField({ path }: FieldIssue, kind: AnyKind): boolean {
  return kinds.some((other) => other.type !== kind.type && other.fields.some((field) => field === path[0]));
}

/** Whether the type is wrong: an stdio entry with `url` and no `command`, or the reverse. */
function isMistyped(raw: RawEntry, { path: [field] }: FieldIssue, kind: AnyKind): boolean {
  const needed = kind.fields.includes('command') ? 'command' : 'url';
  return (field === 'url' || field === 'command') && !Object.hasOwn(raw, needed);
}

function misplaced({ path, severity }: FieldIssue, kind: AnyKind): FieldIssue {
  const message = `has no effect for type ${kind.type}; Plugboard ignores it and leaves it in the file`;
  return { severity, path, message, hint: `Remove "${path[0]}"` };
}

/** Checks what is known only after variables are expanded, such as the URL. */
export function checkConfig(config: ServerConfig): readonly FieldIssue[] {
  const issues: FieldIssue[] = [];
  transportKindOf(config).check(config, (issue) => issues.push(issue));
  return issues;
}

/** The type for one of its spellings; undefined for an unknown word. */
export function canonicalType(word: unknown): string | undefined {
  return kinds.find((kind) => kind.type === word || kind.aliases.some((alias) => alias === word))?.type;
}

/** The kind that `type` names, or that the fields imply when there is no `type`. */
function findKind(raw: RawEntry, report: (issue: FieldIssue) => void): AnyKind | undefined {
  const type = Object.hasOwn(raw, 'type') ? raw['type'] : undefined;
  if (type === undefined || type === null) {
    const hasUrl = Object.hasOwn(raw, 'url');
    if (hasUrl && Object.hasOwn(raw, 'command')) {
      report({
        severity: 'error',
        path: [],
        message: 'has both "command" and "url", so its type is unclear',
        hint: 'Add "type": "stdio" or "type": "http", or remove one of the two',
      });
      return undefined;
    }
    // `serverUrl` of another host means `url`; a warning says so.
    const meansUrl = !Object.hasOwn(raw, 'command') && Object.keys(raw).some((field) => meantField(field) === 'url');
    return hasUrl || meansUrl ? http : stdio;
  }
  const found = kinds.find((kind) => kind.type === type || kind.aliases.some((alias) => alias === type));
  if (found) return found;
  // Kinds that only an embedding program can provide are not suggested to the author of a file.
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
  if (Object.hasOwn(raw, 'command')) return 'The entry has a "command": write "type": "stdio", or leave "type" out';
  if (Object.hasOwn(raw, 'url')) return 'The entry has a "url": write "type": "http", or leave "type" out';
  return 'Leave "type" out for a command, write "http" for a URL';
}
