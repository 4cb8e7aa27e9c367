import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import type { Importer } from './importer.js';
import {
  type Draft,
  type FieldRule,
  type FieldRules,
  enabled,
  forget,
  lose,
  mapEntry,
  mapFields,
  merge,
  put,
  quote,
  rename,
  secondsToTimeout,
} from './mapping.js';
import { variablesIn } from '../entries/expand.js';
import { applicationFile, configFile, projectFile } from './places.js';
import { namesIn, serversBelow, skip } from './server-map.js';
import { type VariableSyntax, noVariables, sameVariables } from './variables.js';

/** YAML, `extensions`. Some of these are parts of Goose itself, not servers. */
export const goose: Importer = {
  host: 'goose',
  title: 'Goose',
  format: 'yaml',
  files: (where) => [
    ...(where.platform === 'win32'
      ? applicationFile(where, 'Block', 'goose', 'config', 'config.yaml')
      : configFile(where, 'goose', 'config.yaml')),
    ...projectFile(where, '.goose', 'config.yaml'),
  ],
  parseFile: (value) =>
    skip(serversBelow(value, ['extensions']), ({ type }) => {
      if (typeof type !== 'string' || !Object.hasOwn(inside, type)) return undefined;
      return inside[type];
    }),
  toEntry(raw) {
    // Goose writes every field that it knows, null for those without a value.
    const written = Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null));
    return Object.hasOwn(written, 'uri')
      ? mapEntry(written, { ...rules, ...remoteRules(written) }, sameVariables)
      : mapEntry(written, rules, variablesOf(written));
  },
};

const inside: Readonly<Record<string, string>> = {
  builtin: 'it is built into Goose',
  platform: 'it is a part of Goose itself',
  frontend: "it runs inside Goose's window",
  inline_python: 'it is Python code inside the file, which only Goose runs',
};

/** Goose expands nothing in a command, so a `${NAME}` gets a note, unless it was made here from `env_keys`. */
function variablesOf(raw: RawEntry): VariableSyntax {
  const keys = new Set(namesIn(raw['env_keys']));
  return (text, telling) => (variablesIn(text).every((name) => keys.has(name)) ? text : noVariables(text, telling));
}

/** Rules for a remote server: its `envs` and `env_keys` are expanded in its URL and headers. */
function remoteRules(raw: RawEntry): FieldRules {
  const own = isObject(raw['envs']) ? raw['envs'] : {};
  const keys = new Set(namesIn(raw['env_keys']));
  const fill = (text: string, draft: Draft): string =>
    text.replaceAll(/\$(?:\{\s*(\w+)\s*\}|(\w+))/gu, (whole, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? '';
      if (!/^[A-Za-z_]/u.test(name)) return whole;
      const value = Object.hasOwn(own, name) ? own[name] : undefined;
      if (typeof value === 'string') return value;
      draft.notes.add(
        keys.has(name) ? keptInKeyring([name]) : `${quote(whole)} is read as the environment variable ${name} here`,
      );
      return `\${${name}}`;
    });
  return {
    uri: (value, draft, field) => put(draft, 'url', typeof value === 'string' ? fill(value, draft) : value, field),
    headers: (value, draft) =>
      put(
        draft,
        'headers',
        mapFields(value, (text) => fill(text, draft)),
      ),
    envs: forget,
    env_keys: forget,
  };
}

function keptInKeyring(names: readonly string[]): string {
  return `Goose keeps ${quote(names.join(', '))} in its keyring: set the environment variables of these names`;
}

/** Names of values that Goose keeps in the system's keyring. */
const keyring: FieldRule = (value, draft, field) => {
  if (!Array.isArray(value)) return put(draft, field, value);
  const names = namesIn(value);
  if (names.length === 0) return undefined;
  draft.notes.add(keptInKeyring(names));
  return merge(draft, 'env', Object.fromEntries(names.map((name) => [name, `\${${name}}`])), field);
};

/** An empty list means all tools. */
const availableTools: FieldRule = (value, draft, field) => {
  if (!Array.isArray(value) || value.length > 0) put(draft, 'includeTools', value, field);
};

const rules: FieldRules = {
  cmd: rename('command'),
  uri: rename('url'),
  envs: (value, draft, field) => merge(draft, 'env', value, field),
  env_keys: keyring,
  timeout: secondsToTimeout,
  enabled,
  available_tools: availableTools,
  name: forget,
  display_name: forget,
  description: forget,
  bundled: forget,
  socket: lose('Plugboard connects to URLs only'),
};
