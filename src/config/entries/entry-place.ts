import { isObject } from '../../base/json.js';
import { readDocument, type DocumentReading } from '../document.js';
import type { ConfiguredServer } from './server.js';
import { ownAt } from './servers.js';

/** Where in a file something stands. */
export interface EntryPlace {
  readonly file: string;
  readonly line: number;
}

/**
 * The line of a server's entry, or of a field of it where it has that. Undefined for an entry that stands in no file, or in one
 * that is not JSON. Never rejects.
 */
export type FindPlace = (server: EntryName, field?: string) => Promise<EntryPlace | undefined>;

export type EntryName = Pick<ConfiguredServer, 'name' | 'origin'>;

/** Reads files once more, each once: loading does not keep the lines that hardly anybody asks for. */
export function openPlaces(): FindPlace {
  const readings = new Map<string, Promise<DocumentReading>>();
  return async ({ name, origin }, field) => {
    const known = readings.get(origin) ?? readDocument(origin);
    readings.set(origin, known);
    const reading = await known;
    if (reading.kind !== 'document') return undefined;
    const { value, lineOf } = reading.document;
    const path = PLACES.map((keys) => [...keys, name]).find((keys) => isObject(ownAt(value, keys)));
    const line = path && (await lineOf(field === undefined ? path : [...path, field]));
    return line === undefined ? undefined : { file: origin, line };
  };
}

/** The keys under which files of ours and of other hosts have their servers. */
const PLACES: readonly (readonly string[])[] = [
  ['mcpServers'],
  ['servers'],
  ['mcp'],
  ['mcp', 'servers'],
  ['context_servers'],
  [],
];
