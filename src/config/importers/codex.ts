import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import { variablesIn } from '../expand.js';
import type { Importer } from './importer.js';
import {
  enabled,
  type FieldRule,
  type FieldRules,
  lose,
  mapEntry,
  merge,
  put,
  rename,
  secondsToTimeout,
} from './mapping.js';
import { loseApprovals } from './mcp-servers-json.js';
import { folderFrom, homeFile, projectFile, variableFile } from './places.js';
import { serversBelow } from './server-map.js';
import { type Dialect, noVariables } from './variables.js';

/** TOML, `[mcp_servers.name]`. Secrets are named by their variables, which are written out here as `${NAME}`. */
export const codex: Importer = {
  host: 'codex',
  title: 'Codex',
  format: 'toml',
  files: (where) => [
    ...(folderFrom(where, 'CODEX_HOME') === undefined
      ? homeFile(where, '.codex', 'config.toml')
      : variableFile(where, 'CODEX_HOME', 'config.toml')),
    ...projectFile(where, '.codex', 'config.toml'),
  ],
  parseFile: (value) => serversBelow(value, ['mcp_servers']),
  toEntry: (raw) => mapEntry(raw, rules, variablesOf(raw)),
};

/** Codex fills in nothing, so a `${NAME}` is worth a word, unless it was made here from a field that names a variable. */
function variablesOf(raw: RawEntry): Dialect {
  const headers = raw['env_http_headers'];
  const named = new Set<unknown>([raw['bearer_token_env_var'], ...(isObject(headers) ? Object.values(headers) : [])]);
  return (text, tell) => (variablesIn(text).every((name) => named.has(name)) ? text : noVariables(text, tell));
}

const bearerVariable: FieldRule = (name, draft, field) => {
  if (typeof name === 'string') merge(draft, 'headers', { Authorization: `Bearer \${${name}}` }, field);
  else put(draft, field, name);
};

const headerVariables: FieldRule = (value, draft, field) => {
  if (!isObject(value)) return put(draft, 'headers', value, field);
  const headers = Object.entries(value).map(([header, name]) => [
    header,
    typeof name === 'string' ? `\${${name}}` : name,
  ]);
  return merge(draft, 'headers', Object.fromEntries(headers), field);
};

/** Names, or `{ name, source }` in newer files. */
const inheritedVariables: FieldRule = (value, draft, field) => {
  const names = Array.isArray(value)
    ? value.map((item: unknown) => (isObject(item) ? (item['name'] ?? item) : item))
    : value;
  put(draft, 'inheritEnv', names, field);
};

const scopes: FieldRule = (value, draft, field) => merge(draft, 'oauth', { scopes: value }, field);

const CONNECT_TIMEOUT = lose('the time to connect is the same for all servers here: set MCP_TIMEOUT');

const rules: FieldRules = {
  bearer_token_env_var: bearerVariable,
  env_http_headers: headerVariables,
  env_vars: inheritedVariables,
  http_headers: (value, draft, field) => merge(draft, 'headers', value, field),
  http_headers_helper: rename('headersHelper'),
  startup_timeout_sec: CONNECT_TIMEOUT,
  startup_timeout_ms: CONNECT_TIMEOUT,
  tool_timeout_sec: secondsToTimeout,
  enabled,
  enabled_tools: rename('includeTools'),
  disabled_tools: rename('excludeTools'),
  scopes,
  default_tools_approval_mode: loseApprovals,
  tools: loseApprovals,
  required: lose('a server that fails never stops Plugboard'),
  supports_parallel_tool_calls: lose('the tools say themselves what may run side by side'),
};
