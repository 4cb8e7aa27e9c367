import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import type { Importer } from './importer.js';
import { type FieldRule, type FieldRules, forget, lose, mapEntry, put, quote } from './mapping.js';
import { applicationFile, projectFile } from './places.js';
import { ownAt } from '../entries/servers.js';
import { serversBelow } from './server-map.js';
import { editorVariables, type InputVariable } from './variables.js';
import { sandboxRules } from './vscode-sandbox.js';

export const vscode: Importer = {
  host: 'vscode',
  title: 'VS Code',
  format: 'json',
  files: (where) => [
    ...applicationFile(where, 'Code', 'User', 'mcp.json'),
    ...applicationFile(where, 'Code - Insiders', 'User', 'mcp.json'),
    ...projectFile(where, '.vscode', 'mcp.json'),
  ],
  parseFile: (value) => serversBelow(value, ['servers']),
  toEntry: (raw, file) => mapEntry(raw, { ...rules, ...sandboxRules(raw) }, editorVariables(inputsOf(file))),
};

/** Only VS Code allows numbers, which it converts to text, and null, which unsets a variable. */
const env: FieldRule = (value, draft) => {
  if (!isObject(value)) return put(draft, 'env', value);
  const unset = Object.keys(value).filter((name) => value[name] === null);
  if (unset.length > 0) draft.lost.add(`"env" cannot unset a variable here: ${quote(unset.join(', '))}`);
  const entries = Object.entries(value).filter(([, text]) => text !== null);
  return put(
    draft,
    'env',
    Object.fromEntries(entries.map(([name, text]) => [name, typeof text === 'number' ? String(text) : text])),
  );
};

const rules: FieldRules = {
  env,
  envFile: lose('copy the variables you need into "env"'),
  dev: lose('restarting on a change and debugging are VS Code features'),
  gallery: forget,
  version: forget,
  transport: (value, draft) => {
    if (value === 'sse') draft.fields.set('type', 'sse');
  },
};

/** The inputs that VS Code asks for once become environment variables. */
function inputsOf(file: RawEntry): InputVariable {
  const inputs = ownAt(file, ['inputs']);
  const known = Array.isArray(inputs) ? inputs.filter(isObject) : [];
  return (id, note) => {
    const input = known.find((candidate) => candidate['id'] === id);
    const variable = toVariable(id);
    const isPassword = input?.['password'] === true;
    const fallback = isPassword ? undefined : input?.['default'];
    note(
      `${quote(`\${input:${id}}`)} is now \${${variable}}: set the environment variable ${variable}` +
        (isPassword ? ', which is a password' : input?.['type'] === 'command' ? ', which a VS Code command gave' : ''),
    );
    const isUsable = typeof fallback === 'string' && fallback !== '' && !fallback.includes('}');
    return isUsable ? `\${${variable}:-${fallback}}` : `\${${variable}}`;
  };
}

/** `api-key` and `apiKey` become API_KEY; a name that every system already sets gets a prefix. */
function toVariable(id: string): string {
  const name = id
    .replaceAll(/([a-z0-9])([A-Z])/gu, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/gu, '_')
    .replaceAll(/^_+|_+$/gu, '')
    .toUpperCase();
  return name === '' || /^\d/u.test(name) || systemVariables.has(name) ? `INPUT_${name}` : name;
}

const systemVariables: ReadonlySet<string> = new Set(
  'PATH HOME USER USERNAME LOGNAME SHELL LANG TERM TMPDIR TEMP TMP TZ PWD HOSTNAME DISPLAY EDITOR MAIL'.split(' '),
);
