import { join } from 'node:path';
import { isObject } from '../../base/json.js';
import { whyUntrusted } from '../../edge/files/ownership.js';
import { type FlowSettings, NO_FLOW } from '../../model/flow/flow-settings.js';
import type { HookSetting } from '../../model/hooks/hook-settings.js';
import {
  NO_PERMISSIONS,
  type PermissionMode,
  type PermissionSettings,
  type PermissionSource,
} from '../../model/permissions/settings.js';
import { TOOL_BYTES } from '../../model/text/tokens.js';
import { type ConfigContext, isRead, settingsOrigin } from '../context.js';
import { type DocumentReading, parseDocument } from '../document.js';
import type { Problem } from '../problem.js';
import type { ScopeReader, ToolSearchSetting } from '../scope.js';
import { readManaged } from '../scopes/enterprise.js';
import { localFile } from '../scopes/local.js';
import { projectFilesIn } from '../scopes/project.js';
import { userFile } from '../scopes/user.js';
import { USERS_SETTINGS } from './users-settings.js';

/** Permissions of one run: flags, or options of an embedder. */
export interface PermissionFlags {
  /** Replaces the mode of the settings, except the administrator's. */
  readonly mode?: PermissionMode;
  /** Rules such as `mcp__docs__search` or `mcp__docs`: matching calls need no question. */
  readonly allow?: readonly string[];
  /** Rules: the user is asked about matching calls, even where an allow rule matches. */
  readonly ask?: readonly string[];
  /** Rules: matching calls are refused. Stronger than `ask` and `allow`. */
  readonly deny?: readonly string[];
}

/** All settings that apply to calls. */
export interface CallSettings {
  readonly permissions: PermissionSettings;
  readonly hooks: readonly HookSetting[];
  /** What the flow guard does. */
  readonly flow: FlowSettings;
  readonly toolSearch: ToolSearchSetting;
  /** How many bytes the definitions of a request to a model may have. */
  readonly toolBytes: number;
  readonly problems: readonly Problem[];
}

/** One file that may have call settings, and whose settings they are. */
export interface CallSource {
  readonly source: PermissionSource;
  readonly file: string;
  readonly reading: Exclude<DocumentReading, { readonly kind: 'absent' }>;
  /** The file is another host's: only its rules that ask about or deny tools of servers apply. */
  readonly isForeign: boolean;
}

/** Rules, modes, hooks and tool search from all files. The parser is only imported if there is something to parse. */
export async function readCallSettings(reader: Pick<ScopeReader, 'context' | 'read'>): Promise<CallSettings> {
  const { permissions: flags } = reader.context.options;
  const sources = (await findSources(reader)).filter(mayConcernCalls);
  if (sources.length === 0 && !flags) {
    const none = { permissions: NO_PERMISSIONS, hooks: [], flow: NO_FLOW };
    return { ...none, toolSearch: 'auto', toolBytes: TOOL_BYTES, problems: [] };
  }
  const { parseCallSettings } = await import('./permissions-parse.js');
  return parseCallSettings(sources, reader.context.options);
}

/** The files that may have call settings, strongest first. */
async function findSources({ context, read }: Pick<ScopeReader, 'context' | 'read'>): Promise<readonly CallSource[]> {
  const sources: CallSource[] = [];
  const add = (source: PermissionSource, file: string, reading: DocumentReading, isForeign = false): void => {
    if (reading.kind !== 'absent') sources.push({ source, file, reading, isForeign });
  };
  for (const [index, folder] of context.places.managed.entries()) {
    const file = join(folder, 'managed-settings.json');
    add('administrator', file, await readManaged(file, { read }), index > 0);
  }
  const { options } = context;
  if (options.settings) {
    const origin = settingsOrigin(options);
    add('flag', origin, await parseDocument(JSON.stringify(options.settings), origin));
  }
  const local = isRead(options, 'local') ? localFile(context) : undefined;
  if (local !== undefined) add('local', local, await read(local));
  const user = isRead(options, 'user') ? userFile(context) : undefined;
  if (user !== undefined) add('user', user, await read(user));
  for (const file of isRead(options, 'project') ? projectSettings(context) : []) {
    const reading = await read(file);
    if (reading.kind !== 'absent' && isBelieved(file, context)) add('project', file, reading);
  }
  return sources;
}

function projectSettings({ ancestors }: ConfigContext): readonly string[] {
  return ancestors.flatMap((folder) => projectFilesIn(folder).filter((file) => file.endsWith('settings.json')));
}

/** As for servers: files above the working directory may belong to anyone. The scope warns the user. */
function isBelieved(file: string, { cwd }: ConfigContext): boolean {
  return projectFilesIn(cwd).includes(file) || whyUntrusted(file) === undefined;
}

const KEYS = ['permissions', 'hooks', 'flow', 'toolSearch', 'toolBytes'];

/** What a repository may not set is told by the same parser. */
function mayConcernCalls({ source, reading }: CallSource): boolean {
  if (reading.kind === 'broken') return true;
  const keys = source === 'project' ? [...KEYS, ...Object.keys(USERS_SETTINGS)] : KEYS;
  const { value } = reading.document;
  const { settings } = value;
  return keys.some((key) => Object.hasOwn(value, key) || (isObject(settings) && Object.hasOwn(settings, key)));
}
