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

/** YAML, `extensions`. Some of them are parts of Goose itself and no servers at all. */
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
    // Goose writes out every field that it knows, and those without a value as null.
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

/** Goose fills in nothing in a command, so a `${NAME}` is worth a word, unless it was made here of `env_keys`. */
function variablesOf(raw: RawEntry): VariableSyntax {
  const keys = new Set(namesIn(raw['env_keys']));
  return (text, telling) => (variablesIn(text).every((name) => keys.has(name)) ? text : noVariables(text, telling));
}

/** A remote server has no environment: `envs` and `env_keys` are there to be filled into its address and headers. */
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

/** Values that Goose keeps in the system's keyring. */
const keyring: FieldRule = (value, draft, field) => {
  if (!Array.isArray(value)) return put(draft, field, value);
  const names = namesIn(value);
  if (names.length === 0) return undefined;
  draft.notes.add(keptInKeyring(names));
  return merge(draft, 'env', Object.fromEntries(names.map((name) => [name, `\${${name}}`])), field);
};

/** An empty list means all of them. */
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
