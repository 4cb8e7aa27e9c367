import { join } from 'node:path';
import { HostError } from '../../base/errors.js';
import { nearest } from '../../base/nearest.js';
import { nameWord, scopedCommand } from '../../base/shell-word.js';
import { folderToWrite } from '../../edge/directories.js';
import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import { transportKindOf, parseEntry, serverTargetOf } from '../../transports/kinds.js';
import { checkExpanded } from '../entries/check-expanded.js';
import type { ConfigContext } from '../context.js';
import { type Edit, editFile } from './edit-file.js';
import { refuseOutside } from './refuse-outside.js';
import { addToText, getFromText, removeFromText, setInText } from './edit-text.js';
import { expandEntry } from '../entries/expand-entry.js';
import { scopeLabel } from '../scope-label.js';
import { type HostConfig, loadHostConfig } from '../load.js';
import { typedNameFault } from '../entries/names.js';
import { decidePolicy } from '../policy/policy.js';
import { toFieldPath } from '../problem.js';
import type { ScopeName } from '../scope.js';
import { LOCKED } from '../scopes/enterprise.js';
import { localFile } from '../scopes/local.js';
import { userFile } from '../scopes/user.js';
import type { ConfiguredServer } from '../entries/server.js';
import { hintUnread } from '../approval/unread-files.js';
import { POLICY_STEP } from '../../model/text/policy-step.js';

/** Scopes with a file that the user may edit. */
export const editableScopes = ['local', 'project', 'user'] as const;
export type EditableScope = (typeof editableScopes)[number];

export interface ManageOptions {
  readonly dryRun?: boolean;
}

export interface AddServer extends ManageOptions {
  readonly name: string;
  readonly entry: unknown;
  readonly scope: EditableScope;
}

/** Adds a server. Throws for a bad name or entry, one that a policy forbids, and one that exists already. */
export async function addServer(context: ConfigContext, add: AddServer): Promise<Edit> {
  const fault = typedNameFault(add.name);
  if (fault !== undefined) throw new HostError('usage', fault);
  const loaded = await loadHostConfig(context);
  refuseLocked(loaded, 'add');
  const entry = checkEntry(add.name, add.entry, loaded);
  const file = fileToWrite(context, add.scope);
  return editFile(
    file,
    (text) => {
      if (getFromText(text, ['mcpServers', add.name]) !== undefined) {
        throw new HostError('server-exists', `MCP server ${add.name} already exists in ${add.scope} config`, {
          hint: scopedCommand('remove', add.name, add.scope),
        });
      }
      return withServers(text, { context, scope: add.scope, servers: [[add.name, entry]] });
    },
    { context, mode: modeOf(add.scope), ...(add.dryRun && { dryRun: true }) },
  );
}

export interface NewServers {
  readonly context: ConfigContext;
  readonly scope: EditableScope;
  readonly servers: readonly (readonly [name: string, entry: unknown])[];
}

export function withServers(text: string, { context, scope, servers }: NewServers): string {
  if (servers.length === 0) return text;
  // A local file is named by a hash, so the project is written into it.
  const named = scope === 'local' ? setInText(text, ['project'], context.projectRoot) : text;
  return addToText(named, ['mcpServers'], servers);
}

/** The mode of a new file: a shared one must be readable by everyone. */
export function modeOf(scope: EditableScope): number {
  return scope === 'project' ? 0o644 : 0o600;
}

/** Removes a server from its scope; throws when several scopes have it and none is named. */
export async function removeServer(
  context: ConfigContext,
  remove: ManageOptions & { readonly name: string; readonly scope?: EditableScope },
): Promise<Edit & { readonly scope: EditableScope }> {
  const loaded = await loadHostConfig(context);
  refuseLocked(loaded, 'remove');
  const { scope, origin } = findEditable(loaded, remove.name, remove.scope);
  if (scope === 'project') refuseOutside(origin, context);
  const edit = await editFile(origin, (text) => removeFromText(text, ['mcpServers', remove.name]), {
    context,
    ...(remove.dryRun && { dryRun: true }),
  });
  return { ...edit, scope };
}

/** The only definition of a name in a file that the user may edit. */
function findEditable(
  loaded: HostConfig,
  name: string,
  scope: EditableScope | undefined,
): { readonly scope: EditableScope; readonly origin: string } {
  const all = loaded.servers.filter((server) => server.name === name);
  const editable = all.filter((server) => isEditable(server.scope) && (scope === undefined || server.scope === scope));
  // The strongest of each scope: a parent folder may have the name, too.
  const found = editable.filter(
    (server, index) => editable.findIndex(({ scope: other }) => other === server.scope) === index,
  );
  const only = found[0];
  if (found.length > 1) throw ambiguous(name, found);
  if (only) return { scope: only.scope as EditableScope, origin: only.origin };
  if (all.length === 0) throw unknownServer(loaded, name);
  const other = all[0]!;
  const where = scope === undefined ? 'a config that can be edited' : `${scope} config`;
  throw new HostError(
    'unknown-server',
    `MCP server "${name}" is not in ${where}; it comes from ${other.scope} (${other.origin})`,
    {
      hint: hintElsewhere(other),
    },
  );
}

function hintElsewhere({ name, scope, origin }: ConfiguredServer): string {
  if (scope === 'dynamic') return `Leave ${origin} out of the command line`;
  if (scope === 'linked') return 'Run: plugboard import HOST --unlink, or edit that file';
  return isEditable(scope) ? scopedCommand('remove', name, scope) : `plugboard disable ${nameWord(name)}`;
}

function ambiguous(name: string, found: readonly ConfiguredServer[]): HostError {
  const lines = found.map(({ scope, origin }) => `  - ${scopeLabel(scope)} (${origin})`);
  const commands = found.map(({ scope }) => `  ${scopedCommand('remove', name, scope)}`);
  return new HostError(
    'ambiguous-server',
    [
      `MCP server "${name}" exists in multiple scopes:`,
      ...lines,
      '',
      'To remove from a specific scope, use:',
      ...commands,
    ].join('\n'),
    { hint: scopedCommand('remove', name, found[0]!.scope) },
  );
}

/** The error names the known servers and the nearest match. */
export function unknownServer(loaded: HostConfig, name: string): HostError {
  const names = [...new Set(loaded.servers.map((server) => server.name))];
  if (names.length === 0) {
    return new HostError('unknown-server', `No MCP server named "${name}". No MCP servers configured.`, {
      hint: hintUnread(loaded, `plugboard add ${nameWord(name)} -- COMMAND`),
    });
  }
  const [close] = nearest(name, names);
  const shown =
    names.slice(0, NAMES_SHOWN).join(', ') +
    (names.length > NAMES_SHOWN ? `, and ${names.length - NAMES_SHOWN} more` : '');
  return new HostError('unknown-server', `No MCP server named "${name}". Configured servers: ${shown}`, {
    hint: hintUnread(loaded, close === undefined ? 'plugboard list' : `Did you mean "${close}"?`),
  });
}

const NAMES_SHOWN = 20; // a screen; `plugboard list` shows the rest

export function checkEntry(name: string, entry: unknown, loaded: HostConfig): RawEntry {
  const { config, issues } = parseEntry(entry);
  const errors = issues.filter(({ severity }) => severity === 'error');
  if (config && isObject(entry)) {
    const expanded = expandEntry(entry, loaded.context.env);
    const target = parseEntry(expanded.entry).config ?? config;
    const found = checkExpanded(target, expanded).filter(({ severity }) => severity === 'error');
    errors.push(...found);
    if (transportKindOf(config).origin !== 'anyone') {
      throw new HostError(
        'config-invalid',
        `Cannot add MCP server "${name}": "${config.type}" servers are made by a program, not by hand`,
      );
    }
    const verdict = decidePolicy(loaded.policies, { name, target: serverTargetOf(target) });
    if (errors.length === 0 && verdict.kind === 'denied') {
      const whose = verdict.file === userFile(loaded.context) ? 'your own' : 'enterprise';
      const why =
        verdict.by === 'deny-list'
          ? `server is explicitly blocked by ${whose} policy`
          : `not allowed by ${whose} policy`;
      throw new HostError('policy-denied', `Cannot add MCP server "${name}": ${why}`, {
        hint: `${verdict.reason}. ${POLICY_STEP}`,
      });
    }
    if (errors.length === 0) return entry;
  }
  const told = errors.map(({ path, message }) => (path.length === 0 ? message : `${toFieldPath(path)}: ${message}`));
  const hint = errors.find((issue) => issue.hint !== undefined)?.hint;
  throw new HostError(
    'config-invalid',
    `Cannot add MCP server "${name}": ${told.join('; ')}`,
    hint === undefined ? {} : { hint },
  );
}

export function refuseLocked({ lock }: HostConfig, verb: 'add' | 'remove' | 'change'): void {
  if (lock === undefined) return;
  throw new HostError('enterprise-locked', `Cannot ${verb} MCP server: ${LOCKED}`, {
    hint: `Ask your administrator, who controls ${lock}`,
  });
}

export function fileToWrite(context: ConfigContext, scope: EditableScope): string {
  if (context.refused && scope !== 'user') throw context.refused;
  if (scope === 'project') return refuseOutside(join(context.cwd, '.mcp.json'), context);
  folderToWrite(context.places, 'config');
  return (scope === 'local' ? localFile(context) : userFile(context))!;
}

export function isEditable(scope: ScopeName): scope is EditableScope {
  return editableScopes.some((editable) => editable === scope);
}
