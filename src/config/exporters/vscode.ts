import { isObject } from '../../base/json.js';
import { carry, type ExportRule, toForeignEntry, type ForeignShape } from './export-fields.js';
import type { Exporter } from './exporter.js';
import { editorSyntax, sameFields, typed } from './json-hosts.js';

/** A switch and, apart from it, the settings. Only the folders to write to have a counterpart. */
const sandbox: ExportRule = (value, draft) => {
  draft.fields.set('sandboxEnabled', true);
  for (const [field, part] of Object.entries(isObject(value) ? value : {})) {
    if (field === 'write') draft.fields.set('sandbox', { filesystem: { allowWrite: part } });
    else draft.lost.add(`${JSON.stringify(`sandbox.${field.slice(0, 40)}`)} is left out: VS Code has no such setting`);
  }
};

const shape: ForeignShape = {
  title: 'VS Code',
  kinds: { stdio: typed('stdio'), http: typed('http'), sse: typed('sse') },
  fields: { ...sameFields, cwd: carry(), sandbox },
  variables: editorSyntax('VS Code'),
};

export const vscodeExporter: Exporter = {
  host: 'vscode',
  path: () => ['servers'],
  toForeign: (name, entry) => toForeignEntry(shape, name, entry),
};
