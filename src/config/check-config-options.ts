import {
  fields,
  flag,
  listOption,
  object,
  oneOf,
  type OptionCheck,
  textOption,
  wrongOption,
} from '../base/check-options.js';
import { HostError } from '../base/errors.js';
import { isObject } from '../base/json.js';
import { permissionModes } from '../model/permissions/settings.js';

/** A check for each field of `ConfigOptions`. */
export const configChecks: Readonly<Record<string, OptionCheck>> = {
  cwd: textOption,
  env: object,
  platform: textOption,
  mcpConfig: listOption((value, path) => {
    if (typeof value === 'string') return;
    if (!isObject(value)) throw wrongOption(path, 'a path, a JSON text or an object', value);
    if (!Object.hasOwn(value, 'mcpServers')) {
      const hint = `Write ${path}: { mcpServers: { name: { command: '...' } } }`;
      throw new HostError('usage', `${path} has no mcpServers`, { hint });
    }
    checkEntries(value['mcpServers'], `${path}.mcpServers`);
  }),
  mcpServers: (value, path) => (Array.isArray(value) ? listOption(textOption)(value, path) : checkEntries(value, path)),
  strict: flag,
  approveProject: flag,
  trustFolder: flag,
  isForEveryFolder: flag,
  settingSources: listOption(oneOf(['user', 'project', 'local'])),
  pluginDirs: listOption(textOption),
  additionalDirectories: listOption(textOption),
  settings: object,
  permissions: fields({
    mode: oneOf(permissionModes),
    allow: listOption(textOption),
    ask: listOption(textOption),
    deny: listOption(textOption),
  }),
  widestMode: oneOf(permissionModes),
  persist: flag,
  managedDirectories: listOption(textOption),
  isCommandLine: flag,
};

/** Refuses misspelt options, and values of the wrong type, of `loadConfig` and `watchConfig`. Throws `usage`. */
export function checkConfigOptions(options: unknown): void {
  fields(configChecks)(options, '');
}

/** Entries are checked when they are read, like those of a file. Only what no file can hold is refused here. */
function checkEntries(value: unknown, path: string): void {
  if (!isObject(value)) throw wrongOption(path, 'an object of servers', value);
  checkJson(value, path, 0);
}

function checkJson(value: unknown, path: string, depth: number): void {
  if (depth > DEPTH_LIMIT) {
    const hint = 'Write the entry as it would stand in .mcp.json';
    throw new HostError('usage', `${path} is nested too deeply, or contains itself`, { hint });
  }
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
    throw wrongOption(path, 'a value that JSON has', value);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return;
  for (const [key, one] of Object.entries(value)) {
    checkJson(one, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, depth + 1);
  }
}

const DEPTH_LIMIT = 64; // as for a file
