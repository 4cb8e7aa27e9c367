import type { RawEntry } from '../../transports/kind.js';
import { variablesIn } from '../entries/expand.js';
import { quote } from '../importers/mapping.js';
import {
  addNames,
  carry,
  copy,
  type ExportRule,
  type ForeignShape,
  pairsOf,
  putPair,
  toEnabled,
  toForeignEntry,
  toSeconds,
} from './export-fields.js';
import type { Exporter } from './exporter.js';
import { sameFields } from './json-hosts.js';
import { isOurVariable, lostDefault, onlyVariableIn, variableWriter } from './write-variables.js';

/** A process gets values, or the names of what Goose looks up in the environment or in its keyring. */
const env: ExportRule = (value, draft, field) => {
  for (const [name, text] of pairsOf(value)) {
    const found = onlyVariableIn(text);
    if (found?.name === name && !isOurVariable(name)) {
      if (found.fallback !== undefined) draft.lost.add(lostDefault(name, draft.title));
      addNames(draft, 'env_keys', [name]);
    } else if (variablesIn(text).length > 0) {
      draft.lost.add(
        `${quote(`${field}.${name}`)} is left out: Goose has no variables in the environment of a command`,
      );
    } else {
      putPair(draft, 'envs', [name, text]);
    }
  }
};

/** In a URL and in headers Goose fills in the variables that `env_keys` names. */
const remote = variableWriter({
  title: 'Goose',
  toReference: (name) => `\${${name}}`,
  ownSyntax: /\$(?:\{\s*\w+|[A-Za-z_]\w*)/u,
});

function filledIn(rule: ExportRule): ExportRule {
  return (value, draft, field) => {
    const texts = typeof value === 'string' ? [value] : pairsOf(value).map(([, text]) => text);
    rule(value, { ...draft, variables: remote }, field);
    const names = texts.flatMap(variablesIn).filter((name) => !isOurVariable(name));
    if (names.length > 0) addNames(draft, 'env_keys', names);
  };
}

const starting =
  (type: string) =>
  (name: string): RawEntry => ({ name, type, enabled: true, description: '' });

const shape: ForeignShape = {
  title: 'Goose',
  kinds: { stdio: starting('stdio'), http: starting('streamable_http'), sse: starting('sse') },
  fields: {
    command: carry('cmd'),
    args: sameFields.args,
    env,
    url: filledIn(carry('uri')),
    headers: filledIn(sameFields.headers),
    timeout: toSeconds('timeout'),
    disabled: toEnabled,
    includeTools: copy('available_tools'),
  },
  variables: variableWriter({ title: 'Goose' }),
};

/** YAML, `extensions`. */
export const gooseExporter: Exporter = {
  host: 'goose',
  path: () => ['extensions'],
  toForeign: (name, entry) => toForeignEntry(shape, name, entry),
};
