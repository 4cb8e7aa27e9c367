import type { Importer } from './importer.js';
import {
  type FieldRule,
  type FieldRules,
  enabled,
  forget,
  lose,
  mapEntry,
  merge,
  put,
  quote,
  rename,
  secondsToTimeout,
} from './mapping.js';
import { applicationFile, configFile, projectFile } from './places.js';
import { namesIn, serversBelow, skip } from './server-map.js';
import { sameVariables } from './variables.js';

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
    const written = Object.entries(raw).filter(([, value]) => value !== null);
    return mapEntry(Object.fromEntries(written), rules, sameVariables);
  },
};

const inside: Readonly<Record<string, string>> = {
  builtin: 'it is built into Goose',
  platform: 'it is a part of Goose itself',
  frontend: "it runs inside Goose's window",
  inline_python: 'it is Python code inside the file, which only Goose runs',
};

/** Values that Goose keeps in the system's keyring. */
const keyring: FieldRule = (value, draft, field) => {
  if (!Array.isArray(value)) return put(draft, field, value);
  const names = namesIn(value);
  if (names.length === 0) return undefined;
  draft.lost.add(`Goose keeps ${quote(names.join(', '))} in its keyring: set the environment variables of these names`);
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
