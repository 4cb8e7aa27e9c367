import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import type { ForeignFile, Importer, ImportWhere } from './importer.js';
import {
  enabled,
  type FieldRule,
  type FieldRules,
  mapEntry,
  oauthFrom,
  put,
  quote,
  rename,
  startTimeout,
  timeout,
  typeFrom,
} from './mapping.js';
import { withToolSwitches } from './opencode-tools.js';
import { configFile, isInside, projectFile, variableFile } from './places.js';
import { ownAt } from '../entries/servers.js';
import { notCarriedOver, serversBelow } from './server-map.js';
import { bracedVariables } from './variables.js';

const names = ['opencode.json', 'opencode.jsonc'];

export const opencode: Importer = {
  host: 'opencode',
  title: 'opencode',
  format: 'json',
  files: (where) => [
    ...names.flatMap((name) => configFile(where, 'opencode', name)),
    ...namedFile(where),
    ...names.flatMap((name) => projectFile(where, name)),
    ...names.flatMap((name) => projectFile(where, '.opencode', name)),
  ],
  parseFile(value) {
    const found = serversBelow(value, ['mcp']);
    const all = hasServerGroup(value)
      ? join(without(found, 'servers'), serversBelow(value, ['mcp', 'servers']))
      : found;
    return withToolSwitches(all, value);
  },
  toEntry: (raw) => mapEntry(raw, rules, bracedVariables),
};

/** Whether the servers are in a group of their own, `mcp.servers`. */
export function hasServerGroup(file: RawEntry): boolean {
  const servers = ownAt(file, ['mcp', 'servers']);
  // A server may itself be named "servers"; a group of servers has none of these fields.
  return isObject(servers) && !['type', 'command', 'url', 'enabled'].some((field) => isField(servers[field]));
}

/** The file in `$OPENCODE_CONFIG`. Inside the project it counts as the project's. */
function namedFile(where: ImportWhere): ReturnType<Importer['files']> {
  return variableFile(where, 'OPENCODE_CONFIG').map(({ path }) => ({
    path,
    level: where.projectRoot !== where.home && isInside(path, where.projectRoot, where) ? 'project' : 'user',
  }));
}

const isField = (value: unknown): boolean => value !== undefined && !isObject(value);

function join(settings: ForeignFile, group: ForeignFile): ForeignFile {
  return {
    entries: [...settings.entries.filter(({ raw }) => isObject(raw)), ...group.entries],
    // Beside a group, a plain value is a setting for all servers, not a broken server.
    remarks: settings.entries
      .filter(({ raw }) => !isObject(raw))
      .map(({ path }) => notCarriedOver(path, `${quote(path.join('.'))} is not imported`)),
  };
}

function without({ entries, remarks }: ForeignFile, name: string): ForeignFile {
  return { entries: entries.filter((entry) => entry.name !== name), remarks };
}

/** The command and its arguments are one list. */
const command: FieldRule = (value, draft) => {
  if (!Array.isArray(value)) return put(draft, 'command', value);
  const [program, ...args] = value as unknown[];
  if (program !== undefined) put(draft, 'command', program);
  if (args.length > 0) put(draft, 'args', args, 'command');
};

const oauth: FieldRule = (value, draft) => {
  // Nothing is lost: Plugboard signs in only on request.
  if (value === false) return undefined;
  return oauthFrom(oauthWords)(value, draft, 'oauth');
};

const oauthWords = {
  scope: 'scopes',
  client_id: 'clientId',
  client_secret: 'clientSecret',
  callback_port: 'callbackPort',
};

/** One number, or one for starting and one for each request. */
const timeouts: FieldRule = (value, draft, field) => {
  if (!isObject(value)) return timeout(value, draft, field);
  const { startup, request } = value;
  if (startup !== undefined) startTimeout(startup, draft, `${field}.startup`);
  return request === undefined ? undefined : timeout(request, draft, `${field}.request`);
};

const rules: FieldRules = {
  type: typeFrom({ local: 'stdio', remote: 'http' }),
  command,
  environment: rename('env'),
  enabled,
  oauth,
  timeout: timeouts,
};
