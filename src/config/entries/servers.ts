import { isObject } from '../../base/json.js';
import type { JsonDocument, JsonPath, DocumentReading } from '../document.js';
import { type Problem, problemAt } from '../problem.js';
import type { ScopeReader, ScopeReading, ConfigSource, WrittenEntry } from '../scope.js';

export const NO_SERVERS: ScopeReading = { sources: [], problems: [] };

/** Reads a file that only the user writes: its servers need no approval. */
export async function readOwnFile(
  reader: ScopeReader,
  file: string | undefined,
  scope: ConfigSource['scope'],
): Promise<ScopeReading> {
  const reading = file === undefined ? undefined : await reader.read(file);
  if (!reading || reading.kind === 'absent') return NO_SERVERS;
  if (reading.kind === 'broken') return { sources: [], problems: [reading.problem] };
  return readServers(reading, { scope, author: 'user' });
}

/** The servers of one document, and its problems. */
export async function readServers(
  { document, problems }: Extract<DocumentReading, { readonly kind: 'document' }>,
  fields: Omit<SourceFields, 'entries'>,
): Promise<ScopeReading> {
  const found = await serversOf(document);
  return {
    sources: [sourceOf(document, { ...fields, entries: found.entries })],
    problems: [...problems, ...found.problems],
  };
}

/** The entries below `mcpServers` of a document; other keys are ignored. */
export async function serversOf(
  document: JsonDocument,
): Promise<{ readonly entries: readonly WrittenEntry[]; readonly problems: readonly Problem[] }> {
  const { value } = document;
  if (!Object.hasOwn(value, 'mcpServers')) return { entries: [], problems: [] };
  const servers = value['mcpServers'];
  if (isObject(servers)) return { entries: entriesIn(servers, ['mcpServers']), problems: [] };
  const got = Array.isArray(servers) ? 'an array' : servers === null ? 'null' : typeof servers;
  const hint = 'Write "mcpServers": { "name": { "command": "..." } }';
  const message = `expected an object of servers, got ${got}`;
  return { entries: [], problems: [await problemAt(document, ['mcpServers'], message, hint)] };
}

/** `path`: the place of the object of servers in its document. */
export function entriesIn(servers: { readonly [name: string]: unknown }, path: JsonPath): readonly WrittenEntry[] {
  return Object.entries(servers).map(([name, raw]) => ({ name, raw, path: [...path, name] }));
}

/** The value at `path`, through own fields of objects only. */
export function ownAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), value);
}

export function joinReadings(readings: readonly ScopeReading[]): ScopeReading {
  return {
    sources: readings.flatMap(({ sources }) => sources),
    problems: readings.flatMap(({ problems }) => problems),
  };
}

type SourceFields = Pick<ConfigSource, 'scope' | 'author' | 'entries'> &
  Partial<Pick<ConfigSource, 'origin' | 'variables'>>;

export function sourceOf(document: JsonDocument, fields: SourceFields): ConfigSource {
  const { text, file, placeOf } = document;
  // One search of the whole text instead of one for each entry; `\u` may be an escaped dollar.
  const hasVariables = text.includes('${') || text.includes('\\u');
  return { origin: file, placeOf, hasVariables, ...fields };
}
