import { isObject } from '../../base/json.js';
import type { Importer } from './importer.js';
import {
  enabled,
  type FieldRule,
  type FieldRules,
  forget,
  isNothing,
  lose,
  mapEntry,
  oauthFrom,
  put,
  secondsToTimeout,
  unless,
} from './mapping.js';
import { applicationFile, configFile, homeFile, projectFile } from './places.js';
import { serversBelow, skip } from './server-map.js';
import { noVariables } from './variables.js';

export const zed: Importer = {
  host: 'zed',
  title: 'Zed',
  format: 'json',
  files: (where) => [
    ...(where.platform === 'win32'
      ? applicationFile(where, 'Zed', 'settings.json')
      : configFile(where, 'zed', 'settings.json')),
    ...(where.platform === 'darwin' ? homeFile(where, 'Library', 'Application Support', 'Zed', 'settings.json') : []),
    ...projectFile(where, '.zed', 'settings.json'),
  ],
  parseFile: (value) =>
    skip(serversBelow(value, ['context_servers']), (raw) => {
      const isRunnable = Object.hasOwn(raw, 'command') || Object.hasOwn(raw, 'url');
      if (raw['source'] === 'extension' || (!isRunnable && Object.hasOwn(raw, 'settings'))) {
        return 'a Zed extension starts it, and only Zed can';
      }
      return undefined;
    }),
  toEntry: (raw) => mapEntry(raw, rules, noVariables),
};

/** Older files have `command: { path, args, env }`. */
const command: FieldRule = (value, draft) => {
  if (!isObject(value)) return put(draft, 'command', value);
  for (const [field, part] of Object.entries(value)) {
    if (part === null) continue;
    if (field === 'timeout') secondsToTimeout(part, draft, `command.${field}`);
    else put(draft, field === 'path' ? 'command' : field, part, `command.${field}`);
  }
};

const rules: FieldRules = {
  command,
  source: forget,
  enabled,
  // Zed counts in seconds for both kinds of server.
  timeout: secondsToTimeout,
  oauth: oauthFrom({ client_id: 'clientId', client_secret: 'clientSecret' }),
  settings: unless(isNothing, lose('only a Zed extension reads it')),
  remote: unless(isNothing, lose('Plugboard starts servers on this machine only')),
};
