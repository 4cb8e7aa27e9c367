import { isObject } from '../../base/json.js';
import { readDocument, type DocumentReading } from '../document.js';
import type { ConfiguredServer } from './server.js';
import { ownAt } from './servers.js';

export interface EntryPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Finds the place of a server's entry, or of one of its fields. Undefined for an entry that is in no file, or in one
 * that is not JSON. Never rejects.
 */
export type FindPlace = (server: EntryName, field?: string) => Promise<EntryPlace | undefined>;

export type EntryName = Pick<ConfiguredServer, 'name' | 'origin'>;

/** Reads each file again, once: loading does not keep lines, because they are rarely needed. */
export function openPlaces(): FindPlace {
  const readings = new Map<string, Promise<DocumentReading>>();
  return async ({ name, origin }, field) => {
    const known = readings.get(origin) ?? readDocument(origin);
    readings.set(origin, known);
    const reading = await known;
    if (reading.kind !== 'document') return undefined;
    const { value, placeOf } = reading.document;
    const path = PLACES.map((keys) => [...keys, name]).find((keys) => isObject(ownAt(value, keys)));
    const place = path && (await placeOf(field === undefined ? path : [...path, field]));
    return place === undefined ? undefined : { file: origin, ...place };
  };
}

/** The keys that contain servers in our files and in those of other hosts. */
const PLACES: readonly (readonly string[])[] = [
  ['mcpServers'],
  ['servers'],
  ['mcp'],
  ['mcp', 'servers'],
  ['context_servers'],
  [],
];
