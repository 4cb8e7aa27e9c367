import { commandReference } from './command-reference.js';
import { entryType } from './entry-type.js';
import { entryReference, settingsReference } from './field-reference.js';
import { configSchema, mcpSchema, projectSettingsSchema } from './json-schema.js';
import { replacePart } from './markdown.js';

/** A file that is written from the source. `toText` gets what the file says now. */
export interface ReferenceFile {
  readonly file: string;
  readonly toText: (now: string) => string;
}

const toJson = (schema: object) => (): string => `${JSON.stringify(schema, null, 2)}\n`;

export const referenceFiles: readonly ReferenceFile[] = [
  { file: 'src/config/server-entry.ts', toText: entryType },
  { file: 'schema/mcp.schema.json', toText: toJson(mcpSchema()) },
  { file: 'schema/config.schema.json', toText: toJson(configSchema()) },
  { file: 'schema/settings.schema.json', toText: toJson(projectSettingsSchema()) },
  {
    file: 'docs/configuration.md',
    toText: (now) =>
      replacePart(replacePart(now, 'fields of an entry', entryReference()), 'fields of settings', settingsReference()),
  },
  { file: 'docs/commands.md', toText: (now) => replacePart(now, 'commands', commandReference()) },
];
