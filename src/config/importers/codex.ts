import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import { variablesIn } from '../entries/expand.js';
import type { Importer } from './importer.js';
import {
  callbackAddress,
  enabled,
  type FieldRule,
  type FieldRules,
  forget,
  isNothing,
  lose,
  mapEntry,
  mapFields,
  merge,
  oauthFrom,
  put,
  rename,
  secondsToTimeout,
  startTimeout,
  unless,
} from './mapping.js';
import { loseApprovals } from './mcp-servers-json.js';
import { movableFile, projectFile } from './places.js';
import { serversBelow } from './server-map.js';
import { type VariableSyntax, noVariables } from './variables.js';

/** TOML, `[mcp_servers.name]`. Secrets are given as names of variables, which become `${NAME}`. */
export const codex: Importer = {
  host: 'codex',
  title: 'Codex',
  format: 'toml',
  files: (where) => [
    ...movableFile(where, 'CODEX_HOME', ['.codex', 'config.toml']),
    ...projectFile(where, '.codex', 'config.toml'),
  ],
  parseFile: (value) => serversBelow(value, ['mcp_servers']),
  toEntry: (raw, file) => mapEntry(raw, { ...rules, oauth: clientOf(file) }, variablesOf(raw)),
};

/** Codex expands nothing, so a `${NAME}` gets a note, unless it was made here from a field that names a variable. */
function variablesOf(raw: RawEntry): VariableSyntax {
  const headers = raw['env_http_headers'];
  const named = new Set<unknown>([raw['bearer_token_env_var'], ...(isObject(headers) ? Object.values(headers) : [])]);
  return (text, tell) => (variablesIn(text).every((name) => named.has(name)) ? text : noVariables(text, tell));
}

/** A bearer token; `toToken` turns the field's text into the token or a reference. */
function bearer(toToken: (text: string) => string): FieldRule {
  return (value, draft, field) => {
    if (typeof value !== 'string') return put(draft, field, value);
    return merge(draft, 'headers', { Authorization: `Bearer ${toToken(value)}` }, field);
  };
}

const toReference = (name: string): string => `\${${name}}`;

const headerVariables: FieldRule = (value, draft, field) =>
  merge(draft, 'headers', mapFields(value, toReference), field);

/** Names, or `{ name, source }` in newer files. */
const inheritedVariables: FieldRule = (value, draft, field) => {
  const names = Array.isArray(value)
    ? value.map((item: unknown) => (isObject(item) ? (item['name'] ?? item) : item))
    : value;
  put(draft, 'inheritEnv', names, field);
};

/** The OAuth client. A pre-registered client has one redirect address, which the file may give for all servers. */
function clientOf(file: RawEntry): FieldRule {
  const port = file['mcp_oauth_callback_port'];
  const url = file['mcp_oauth_callback_url'];
  return (value, draft, field) => {
    oauthFrom({ client_id: 'clientId', client_secret: 'clientSecret' })(value, draft, field);
    if (!isObject(value) || value['callback_url'] !== undefined) return;
    if (port !== undefined) merge(draft, 'oauth', { callbackPort: port }, 'mcp_oauth_callback_port');
    else if (url !== undefined) callbackAddress(url, draft, 'mcp_oauth_callback_url');
  };
}

const scopes: FieldRule = (value, draft, field) => merge(draft, 'oauth', { scopes: value }, field);

const rules: FieldRules = {
  bearer_token_env_var: bearer(toReference),
  env_http_headers: headerVariables,
  env_vars: inheritedVariables,
  http_headers: (value, draft, field) => merge(draft, 'headers', value, field),
  http_headers_helper: rename('headersHelper'),
  startup_timeout_sec: (value, draft, field) =>
    startTimeout(typeof value === 'number' ? value * 1000 : value, draft, field),
  startup_timeout_ms: startTimeout,
  tool_timeout_sec: secondsToTimeout,
  enabled,
  enabled_tools: rename('includeTools'),
  disabled_tools: rename('excludeTools'),
  scopes,
  default_tools_approval_mode: loseApprovals,
  tools: loseApprovals,
  // Codex itself refuses a token in the file, but the meaning is clear.
  bearer_token: bearer((token) => token),
  oauth_resource: lose("a sign-in names the server's own URL as its resource here"),
  experimental_environment: unless((value) => value === 'local', lose('Plugboard starts servers on this machine only')),
  required: unless(isNothing, lose('a server that fails never stops Plugboard')),
  supports_parallel_tool_calls: unless(isNothing, lose('the tools themselves state what may run in parallel')),
  name: forget,
};
