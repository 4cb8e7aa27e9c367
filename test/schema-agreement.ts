import { basename, dirname } from 'node:path';
import { expect } from 'vitest';
import { configSchema, mcpSchema, projectSettingsSchema } from '../scripts/reference/json-schema.js';
import type { HostConfig } from '../src/config/load.js';
import { isObject } from '../src/base/json.js';
import { Fuel } from '../src/model/schema/fuel.js';
import { prepareSchema, type SchemaCheck } from '../src/model/schema/check.js';
import { parseEntry } from '../src/transports/kinds.js';

const FUEL = 200_000; // the largest fixture of the tests needs less; a hostile one runs out of it and is left out

const schemas = {
  'config.json': prepareSchema(configSchema()),
  'settings.json': prepareSchema(projectSettingsSchema()),
  '.mcp.json': prepareSchema(mcpSchema()),
};
const entrySchema = prepareSchema({ ...mcpSchema(), $ref: '#/definitions/server', anyOf: undefined });

/** What an editor says about a text of JSON, with the schema that is shipped for this file. Empty: nothing. */
export function editorSays(file: string, value: unknown): readonly string[] {
  const found = schemaFor(file);
  return found && isObject(value) ? faultsOf(found, value) : [];
}

function schemaFor(file: string): SchemaCheck | undefined {
  if (basename(file) === 'settings.json' && basename(dirname(file)) !== '.plugboard') return undefined;
  // A plugin may leave out "mcpServers"; no schema is shipped for that.
  if (file.includes('/plugins/')) return undefined;
  return schemas[basename(file) as keyof typeof schemas];
}

function faultsOf(check: SchemaCheck, value: unknown): readonly string[] {
  const outcome = check(value, new Fuel(FUEL));
  if (outcome.kind === 'unchecked' && !/too (?:long|deep)/u.test(outcome.reason)) throw new Error(outcome.reason);
  return outcome.kind === 'invalid' ? outcome.issues.map((issue) => JSON.stringify(issue)) : [];
}

/** Contract between schema and loader: what the schema refuses in one of these files, the loader has reported. */
export function expectAgreement(written: ReadonlyMap<string, unknown>, { problems, watched }: HostConfig): void {
  for (const [file, value] of written) {
    if (!watched.includes(file) || problems.some((problem) => problem.file === file)) continue;
    expect({ file, value, says: editorSays(file, value) }).toEqual({ file, value, says: [] });
  }
}

/** What an editor says about one entry. */
export function editorSaysOfEntry(raw: unknown): readonly string[] {
  return faultsOf(entrySchema, raw);
}

/** The same contract for one entry. */
export function expectEntryAgreement(raw: unknown): void {
  if (isObject(raw) && parseEntry(raw).issues.length === 0) {
    expect({ raw, says: editorSaysOfEntry(raw) }).toEqual({ raw, says: [] });
  }
}

/** The same for all servers of a file, where it has any. */
export function expectServersAgreement(content: unknown): void {
  const servers = isObject(content) ? content['mcpServers'] : undefined;
  if (isObject(servers)) for (const raw of Object.values(servers)) expectEntryAgreement(raw);
}
