import { HostError } from '../../base/errors.js';
import { nameWord, scopedCommand } from '../../base/shell-word.js';
import type { ConfigContext } from '../context.js';
import { type Edit, editFile } from './edit-file.js';
import { getFromText, removeFromText, setInText } from './edit-text.js';
import { loadHostConfig, type HostConfig } from '../load.js';
import {
  type EditableScope,
  fileToWrite,
  isEditable,
  type ManageOptions,
  refuseLocked,
  unknownServer,
} from './manage.js';
import type { ScopeName } from '../scope.js';
import type { ConfiguredServer } from '../entries/server.js';

export interface Toggle extends ManageOptions {
  readonly name: string;
  readonly scope?: EditableScope;
}

export interface Toggled {
  readonly scope: ScopeName;
  /** Empty when nothing had to be changed. */
  readonly edits: readonly Edit[];
}

const LIST = 'disabledMcpServers';

/**
 * Disables a server. In the user's own files its entry says so; a server from a shared file, a plugin or the connector
 * catalogue is put on a list of the user's, for this project or for all.
 */
export async function disableServer(context: ConfigContext, toggle: Toggle): Promise<Toggled> {
  const loaded = await loadHostConfig(context);
  refuseLocked(loaded, 'change');
  const server = findServer(loaded, toggle);
  if (server.scope === 'dynamic') {
    throw new HostError('usage', `MCP server "${toggle.name}" comes from ${server.origin}`, {
      hint: 'Leave the server out of the command line',
    });
  }
  // An account has no entry of its own.
  const hasEntry = isEditable(server.scope) && server.accountOf === undefined;
  const isOwn = hasEntry && (server.scope !== 'project' || toggle.scope === 'project');
  const edit = isOwn
    ? await change(context, server.origin, toggle, (text) => {
        // The entry may have been removed since it was loaded; `disabled` alone is no server.
        if (getFromText(text, ['mcpServers', toggle.name]) === undefined) throw unknownServer(loaded, toggle.name);
        return setInText(text, ['mcpServers', toggle.name, 'disabled'], true);
      })
    : await change(context, listFile(context, server.scope), toggle, (text) =>
        editList(text, (names) => [...names, toggle.name]),
      );
  return { scope: server.scope, edits: changed([edit]) };
}

/** Removes every disabling of a server by the user; a shared file is changed only if its scope is named. */
export async function enableServer(context: ConfigContext, toggle: Toggle): Promise<Toggled> {
  const loaded = await loadHostConfig(context);
  refuseLocked(loaded, 'change');
  const server = findServer(loaded, toggle);
  if (server.accountOf !== undefined) refuseBefore(server.accountOf, loaded, toggle);
  const edits: Edit[] = [];
  for (const file of [listFile(context, 'project'), listFile(context, 'plugin')]) {
    if (!loaded.watched.includes(file)) continue;
    edits.push(
      await change(context, file, toggle, (text) =>
        editList(text, (names) => names.filter((name) => name !== toggle.name)),
      ),
    );
  }
  const entries = loaded.servers.filter(
    ({ name, scope, written, accountOf }) =>
      name === toggle.name && accountOf === undefined && isEditable(scope) && written?.['disabled'] === true,
  );
  for (const { scope, origin } of entries) {
    if (toggle.scope !== undefined && toggle.scope !== scope) continue;
    if (scope === 'project' && toggle.scope !== 'project') {
      if (server.scope !== 'project') continue;
      throw new HostError('usage', `MCP server "${toggle.name}" is disabled for everyone, in ${origin}`, {
        hint: scopedCommand('enable', toggle.name, 'project'),
      });
    }
    edits.push(
      await change(context, origin, toggle, (text) => removeFromText(text, ['mcpServers', toggle.name, 'disabled'])),
    );
  }
  const done = changed(edits);
  // Without this error the user would read that the server is enabled already.
  if (done.length === 0 && isDisabledElsewhere(server)) {
    throw new HostError(
      'usage',
      `MCP server "${toggle.name}" is disabled in the file that defines it, ${server.origin}`,
      {
        hint: 'Take "disabled" out of its entry there',
      },
    );
  }
  return { scope: server.scope, edits: done };
}

function isDisabledElsewhere({ scope, standing }: ConfiguredServer): boolean {
  return standing.kind === 'disabled' && standing.by === 'entry' && !isEditable(scope);
}

/** Throws when the server of an account is disabled: then its accounts are, too. */
function refuseBefore(owner: string, loaded: HostConfig, { name, scope }: Toggle): void {
  const { standing } = findServer(loaded, { name: owner, ...(scope && { scope }) });
  if (standing.kind !== 'disabled') return;
  throw new HostError('usage', `"${name}" is an account of MCP server "${owner}", which is disabled`, {
    hint: `plugboard enable ${nameWord(owner)}`,
  });
}

/** The definition that runs or is disabled, else the strongest. */
function findServer(loaded: HostConfig, { name, scope }: Toggle): ConfiguredServer {
  const found = loaded.servers.filter(
    (server) => server.name === name && (scope === undefined || server.scope === scope),
  );
  const server = found.find(({ standing }) => standing.kind === 'ready' || standing.kind === 'disabled') ?? found[0];
  if (server) return server;
  const elsewhere = loaded.servers.find((other) => other.name === name);
  if (!elsewhere) throw unknownServer(loaded, name);
  throw new HostError('unknown-server', `MCP server "${name}" is not in ${scope} config but in ${elsewhere.scope}`, {
    hint: `Leave out -s ${scope}`,
  });
}

/** The file of the list: of this project for servers of a project, of the user for all others. */
function listFile(context: ConfigContext, scope: ScopeName): string {
  return fileToWrite(context, scope === 'project' || scope === 'local' ? 'local' : 'user');
}

function editList(text: string, alter: (names: readonly string[]) => readonly string[]): string {
  const list = currentList(text);
  const next = [...new Set(alter(list))];
  if (next.length === list.length) return text;
  return next.length === 0 ? removeFromText(text, [LIST]) : setInText(text, [LIST], next);
}

function currentList(text: string): readonly string[] {
  const list = getFromText(text, [LIST]);
  return Array.isArray(list) ? list.map(String) : [];
}

function change(
  context: ConfigContext,
  file: string,
  { dryRun }: Toggle,
  edit: (text: string) => string,
): Promise<Edit> {
  return editFile(file, edit, { context, ...(dryRun && { dryRun: true }) });
}

function changed(edits: readonly Edit[]): readonly Edit[] {
  return edits.filter((edit) => edit.changed);
}
