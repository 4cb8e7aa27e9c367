import { duplicateKeys } from '../../../actions/driven/duplicate-keys.js';
import { isObject, type JsonObject } from '../../../base/json.js';
import { hookEvents } from '../../../model/hooks/hook-settings.js';
import type { PermissionMode } from '../../../model/permissions/settings.js';
import { gateLine } from '../../../model/text/text-gate.js';
import type { Invocation } from '../arguments.js';
import { readFlagText } from '../flag-file.js';
import { usageError } from '../usage-error.js';
import { BELOW_BYPASS, BYPASS_FLAG, readDriverMode } from './mode-words.js';
import { refuseSettingsLimits } from './settings-limits.js';
import { toAllowRules, toDenyRules } from './tool-rules.js';

/** What `--settings` says, in our own shape. */
export interface SettingsFlag {
  readonly settings: JsonObject;
  readonly folders: readonly string[];
  /** The widest mode that the run may have, as far as the settings limit it. */
  readonly widestMode: PermissionMode | undefined;
  /** What is not obeyed, a sentence each. */
  readonly notes: readonly string[];
}

/** Reads `--settings`: JSON, or the path of a JSON file; undefined without it. Rejects with `usage`. */
export async function readSettingsFlag(invocation: Invocation): Promise<SettingsFlag | undefined> {
  const [value, ...others] = invocation.values('settings').filter((text) => text.trim() !== '');
  if (value === undefined) return undefined;
  if (others.length > 0) throw usageError('--settings is given twice', { hint: 'Write all settings into one object' });
  const text = await readFlagText('settings', value, { cwd: invocation.value('cwd') ?? '.', hint: SHAPE });
  let settings: unknown;
  try {
    settings = JSON.parse(text);
  } catch (cause) {
    throw usageError(`--settings is not valid JSON: ${String(cause)}`, { hint: SHAPE, cause });
  }
  if (!isObject(settings)) throw usageError('--settings is no JSON object', { hint: SHAPE });
  const [twice] = await duplicateKeys(text);
  if (twice !== undefined) {
    throw usageError(`--settings: ${gateLine(twice, { limit: 100 }).text} appears twice in one object`, {
      hint: 'Remove one of them',
    });
  }
  refuseSettingsLimits(settings);
  return translate(settings, invocation);
}

function translate(given: JsonObject, invocation: Invocation): SettingsFlag {
  const notes: string[] = [];
  const { permissions, hooks, deniedMcpServers, disabledMcpjsonServers, ...rest } = given;
  const denied =
    disabledMcpjsonServers === undefined ? deniedMcpServers : joinDenied(deniedMcpServers, disabledMcpjsonServers);
  const read = permissions === undefined ? undefined : readPermissions(permissions, invocation, notes);
  const own = Object.fromEntries(
    POLICIES.flatMap((field) => (rest[field] === undefined ? [] : [[field, rest[field]]])),
  );
  const unused = Object.keys(rest).filter((field) => !POLICIES.includes(field));
  if (unused.length > 0) notes.push(`--settings: without effect: ${gateLine(unused.join(', '), { limit: 300 }).text}`);
  return {
    settings: {
      ...own,
      ...(denied !== undefined && { deniedMcpServers: denied }),
      ...(read && { permissions: read.permissions }),
      ...(hooks !== undefined && { hooks: knownHooks(hooks, notes) }),
    },
    folders: read?.folders ?? [],
    widestMode: read?.widestMode,
    notes,
  };
}

function readPermissions(
  given: unknown,
  invocation: Invocation,
  notes: string[],
): Pick<SettingsFlag, 'folders' | 'widestMode'> & { readonly permissions: unknown } {
  if (!isObject(given)) return { permissions: given, folders: [], widestMode: undefined };
  const { allow, deny, ask, defaultMode, mode: own, additionalDirectories, ...rest } = given;
  const { disableBypassPermissionsMode: never, ...unused } = rest;
  if (never === 'disable' && invocation.has(BYPASS_FLAG)) {
    throw usageError(`--settings: disableBypassPermissionsMode and --${BYPASS_FLAG} contradict each other`, {
      hint: 'Leave one of them out',
    });
  }
  if (Object.keys(unused).length > 0) notes.push(`--settings: permissions without effect: ${named(unused)}`);
  const rules = isTexts(allow) ? toAllowRules(allow) : undefined;
  if (rules && rules.unused.length > 0) notes.push(`--settings: allows nothing with ${rules.unused.join(', ')}`);
  const chosen = invocation.has('permission-mode') ? {} : toMode(own ?? defaultMode, invocation, notes);
  const { mode } = chosen;
  return {
    permissions: {
      // A list that is none is left to the parser, which says so.
      ...(allow !== undefined && { allow: rules?.rules ?? allow }),
      ...(deny !== undefined && { deny: isTexts(deny) ? toDenyRules(deny, '--settings') : deny }),
      ...(ask !== undefined && { ask: isTexts(ask) ? toDenyRules(ask, '--settings') : ask }),
      ...(mode !== undefined && { mode }),
    },
    folders: isTexts(additionalDirectories) ? additionalDirectories : [],
    widestMode: chosen.widestMode ?? (never === 'disable' ? BELOW_BYPASS : undefined),
  };
}

/** Never a wider mode than the program may choose. Throws `usage` for a word that is no mode. */
function toMode(word: unknown, invocation: Invocation, notes: string[]): ChosenMode {
  if (word === undefined) return {};
  const reading = readDriverMode(word);
  if (reading.kind === 'mode') {
    if (reading.note === undefined) return { mode: reading.mode };
    notes.push(`--settings: ${reading.note}`);
    return { widestMode: reading.mode };
  }
  if (reading.kind === 'unknown') throw usageError('--settings: permissions.defaultMode is no mode', { hint: SHAPE });
  if (invocation.has(BYPASS_FLAG)) return { mode: 'bypass' };
  notes.push(`--settings: the mode bypassPermissions has no effect without --${BYPASS_FLAG}`);
  return {};
}

/** A mode, or for one that is not there the widest that may stand in for it: a stricter one of the files stays. */
interface ChosenMode {
  readonly mode?: PermissionMode;
  readonly widestMode?: PermissionMode;
}

/** Without the events that do not happen here. */
function knownHooks(hooks: unknown, notes: string[]): unknown {
  if (!isObject(hooks)) return hooks;
  const known = Object.entries(hooks).filter(([event]) => hookEvents.some((word) => word === event));
  const never = Object.keys(hooks).filter((event) => !hookEvents.some((word) => word === event));
  if (never.length > 0) notes.push(`--settings: hooks of these events never run here: ${never.join(', ')}`);
  return Object.fromEntries(known);
}

/** A list that cannot be read stays as it is: the policy then closes. */
function joinDenied(denied: unknown, disabled: unknown): unknown {
  if (!isTexts(disabled)) return disabled;
  const more = disabled.map((serverName) => ({ serverName }));
  return denied === undefined ? more : Array.isArray(denied) ? [...(denied as unknown[]), ...more] : denied;
}

function named(fields: object): string {
  return gateLine(Object.keys(fields).join(', '), { limit: 300 }).text;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

const POLICIES: readonly string[] = ['allowedMcpServers', 'requireSandbox'];
const SHAPE = `Write --settings '{ "permissions": { "deny": ["mcp__server"] } }', or name a file with it`;
