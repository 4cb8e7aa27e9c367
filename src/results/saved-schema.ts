import { open } from 'node:fs/promises';
import { parseJson } from '../base/json.js';
import type { Spilled } from '../model/spilled.js';
import { compactSchema } from './compact-schema.js';
import { chunksOf, COUNTED } from './binary/file-part.js';
import { looksLikeJson, parsePrefix } from './json-prefix.js';
import { countLineEnds } from './text-file.js';

/** The schema of a JSON text, from its beginning if it is long; undefined when it is not JSON. */
export function schemaOfText(text: string): string | undefined {
  if (!looksLikeJson(text)) return undefined;
  if (text.length > SAMPLE) return schemaOfPrefix(text.slice(0, SAMPLE));
  const value = parseJson(text); // undefined when it only begins like JSON
  return value === undefined ? undefined : compactSchema(value);
}

function schemaOfPrefix(prefix: string): string | undefined {
  const value = parsePrefix(prefix);
  return value === undefined ? undefined : `${compactSchema(value)} (as far as its beginning tells)`;
}

export interface FileSummary {
  readonly lines: number | undefined;
  readonly schema: string | undefined;
}

/** Reads a spilled file: its number of lines, and its schema. Never rejects. */
export async function lookAtSpilled({ place, bytes, preview }: Spilled): Promise<FileSummary> {
  try {
    await using file = await open(place, 'r');
    let schema: string | undefined;
    let lineEnds = 0;
    let read = 0;
    let isOpen = false;
    for await (const chunk of chunksOf(file)) {
      if (read === 0 && looksLikeJson(preview)) schema = schemaOfPrefix(chunk.toString('utf8'));
      lineEnds += countLineEnds(chunk);
      isOpen = chunk.at(-1) !== LINE_FEED;
      read += chunk.length;
      if (read >= COUNTED) break;
    }
    return { lines: read >= bytes ? lineEnds + Number(isOpen) : undefined, schema };
  } catch {
    return { lines: undefined, schema: undefined }; // missing or moved: the notice names the path all the same
  }
}

const SAMPLE = 262_144;
const LINE_FEED = 0x0a;
