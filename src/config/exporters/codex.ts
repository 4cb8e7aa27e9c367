import {
  addNames,
  carry,
  copy,
  type ExportDraft,
  type ExportRule,
  type ForeignShape,
  pairsOf,
  putPair,
  toForeignClient,
  toForeignEntry,
  toEnabled,
} from './export-fields.js';
import { isObject } from '../../base/json.js';
import { quote } from '../importers/mapping.js';
import type { Exporter } from './exporter.js';
import { sameFields, untyped } from './json-hosts.js';
import { isOurVariable, lostDefault, onlyVariableIn, variableWriter } from './write-variables.js';

/** Codex expands nothing in texts; a variable of the user's goes by its name. */
const env: ExportRule = (value, draft, field) => {
  for (const [name, text] of pairsOf(value)) {
    if (usableVariable(text, draft) === name) addNames(draft, 'env_vars', [name]);
    else keepPlain({ draft, field, name, text, to: 'env' });
  }
};

const headers: ExportRule = (value, draft, field) => {
  for (const [name, text] of pairsOf(value)) {
    const bearer = name.toLowerCase() === 'authorization' ? /^Bearer (.*)$/su.exec(text)?.[1] : undefined;
    const token = bearer === undefined ? undefined : usableVariable(bearer, draft);
    const variable = usableVariable(text, draft);
    if (token !== undefined) draft.fields.set('bearer_token_env_var', token);
    else if (variable !== undefined) putPair(draft, 'env_http_headers', [name, variable]);
    else keepPlain({ draft, field, name, text, to: 'http_headers' });
  }
};

/** The variable that a text consists of, if it is one of the user's. */
function usableVariable(text: string, draft: ExportDraft): string | undefined {
  const found = onlyVariableIn(text);
  if (!found || isOurVariable(found.name)) return undefined;
  if (found.fallback !== undefined) draft.lost.add(lostDefault(found.name, draft.title));
  return found.name;
}

interface PlainText {
  readonly draft: ExportDraft;
  readonly field: string;
  readonly name: string;
  readonly text: string;
  readonly to: string;
}

function keepPlain({ draft, field, name, text, to }: PlainText): void {
  const written = draft.variables(text);
  if ('text' in written) putPair(draft, to, [name, written.text]);
  else draft.lost.add(`${quote(`${field}.${name}`)} is left out: ${written.cannot}`);
}

const inheritEnv: ExportRule = (value, draft) => {
  if (Array.isArray(value)) addNames(draft, 'env_vars', value);
  else draft.lost.add('"inheritEnv" is left out: Codex passes on variables only by name');
};

/** Scopes stand beside the client there. */
const oauth: ExportRule = (value, draft, field) => {
  const { scopes, ...client } = isObject(value) ? value : {};
  if (scopes !== undefined) draft.fields.set('scopes', scopes);
  toForeignClient('oauth', { clientId: 'client_id' })(client, draft, field);
};

const seconds = (to: string): ExportRule => {
  return (value, draft) => void draft.fields.set(to, Number(value) / 1000);
};

const shape: ForeignShape = {
  title: 'Codex',
  kinds: { stdio: untyped, http: untyped },
  fields: {
    ...sameFields,
    env,
    headers,
    cwd: carry(),
    inheritEnv,
    headersHelper: copy('http_headers_helper'),
    timeout: seconds('tool_timeout_sec'),
    startTimeout: seconds('startup_timeout_sec'),
    disabled: toEnabled,
    includeTools: copy('enabled_tools'),
    excludeTools: copy('disabled_tools'),
    oauth,
  },
  variables: variableWriter({ title: 'Codex' }),
};

/** TOML, `[mcp_servers.name]`. */
export const codexExporter: Exporter = {
  host: 'codex',
  path: () => ['mcp_servers'],
  toForeign: (name, entry) => toForeignEntry(shape, name, entry),
};
