import { isObject } from '../../base/json.js';
import { hasServerGroup } from '../importers/opencode.js';
import {
  carryEach,
  type ExportRule,
  type ForeignShape,
  toForeignClient,
  toEnabled,
  toForeignEntry,
} from './export-fields.js';
import type { Exporter } from './exporter.js';
import { sameFields } from './json-hosts.js';
import { variableWriter } from './write-variables.js';

const words = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The command and its arguments are one list. */
const command: ExportRule = (value, draft, field) => {
  const before = draft.fields.get('command');
  sameFields.command(value, draft, field);
  draft.fields.set('command', [draft.fields.get('command'), ...words(before)]);
};

const args: ExportRule = (value, draft) => {
  const before = draft.fields.get('command');
  sameFields.args(value, draft, 'args');
  const rest = words(draft.fields.get('args'));
  draft.fields.delete('args');
  draft.fields.set('command', [...words(before), ...rest]);
};

/** One number for requests, or one for starting and one for requests. */
const timeout: ExportRule = (value, draft) => {
  const before = draft.fields.get('timeout');
  draft.fields.set('timeout', isObject(before) ? { ...before, request: value } : value);
};

const startTimeout: ExportRule = (value, draft) => {
  const before = draft.fields.get('timeout');
  draft.fields.set('timeout', { startup: value, ...(typeof before === 'number' && { request: before }) });
};

const shape: ForeignShape = {
  title: 'opencode',
  kinds: {
    stdio: () => ({ type: 'local', enabled: true }),
    http: () => ({ type: 'remote', enabled: true }),
    sse: () => ({ type: 'remote', enabled: true }),
  },
  fields: {
    ...sameFields,
    command,
    args,
    env: carryEach('environment'),
    disabled: toEnabled,
    timeout,
    startTimeout,
    oauth: toForeignClient('oauth', { clientId: 'clientId', scopes: 'scope' }),
  },
  variables: variableWriter({
    title: 'opencode',
    toReference: (name) => `{env:${name}}`,
    ownSyntax: /\{(?:env|file):[^}]*\}?/u,
  }),
};

export const opencodeExporter: Exporter = {
  host: 'opencode',
  path: (file) => (hasServerGroup(file) ? ['mcp', 'servers'] : ['mcp']),
  toForeign: (name, entry) => toForeignEntry(shape, name, entry),
};
