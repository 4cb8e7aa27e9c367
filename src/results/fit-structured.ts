import { gateJson } from '../model/text/json-gate.js';
import { whyUnsaved } from './binary/binary-parts.js';
import { compactSchema } from './compact-schema.js';
import { cutHere } from './fit-text.js';
import { jsonBeginning, jsonPieces, jsonSize } from './json-pieces.js';
import { linePart, type Part, type Shaping, textPart } from './shaping.js';
import { savedFileNotice } from './saved-file-notice.js';
import { writeText } from './text-file.js';
import { beginningOf, fit, type TextLimit } from './text-limit.js';
import { addFindings } from './text-slices.js';

export interface FittedValue {
  readonly parts: readonly Part[];
  /** The gated value; undefined when it is in a file. */
  readonly value: unknown;
}

/** The value after the text gate; undefined when it is larger than `LARGEST_VALUE`. */
export function gateSmall(value: unknown, { findings }: Shaping): unknown {
  if (jsonSize(value, LARGEST_VALUE) > LARGEST_VALUE) return undefined;
  const gated = gateJson(value);
  addFindings(findings, gated.findings);
  return gated.value;
}

/** structuredContent as a text: whole if it fits, else saved to a file, with its schema and its beginning. */
export async function fitStructured(value: unknown, limit: TextLimit, shaping: Shaping): Promise<FittedValue> {
  const gated = gateSmall(value, shaping);
  const text = gated === undefined ? undefined : JSON.stringify(gated);
  if (text !== undefined && fit([text], limit)) return { parts: [textPart(text)], value: gated };
  return { parts: [await save(value, limit, shaping)], value: undefined };
}

async function save(value: unknown, limit: TextLimit, shaping: Shaping): Promise<Part> {
  const { options, findings, saved, notes } = shaping;
  try {
    if (!options.store) throw new Error('there is no folder for results');
    const written = await writeText(options.store, jsonPieces(value, findings), {
      extension: 'json',
      signal: options.signal,
    });
    saved.push({ path: written.path, bytes: written.bytes, mimeType: 'application/json' });
    const schema = compactSchema(value);
    const beginning = jsonBeginning(value, BEGINNING);
    const what = 'The structured content of this result';
    return linePart(savedFileNotice({ ...written, what, format: 'JSON', schema, beginning }, new Map()));
  } catch (error) {
    notes.push(`The structured content could not be saved, so it was cut: ${whyUnsaved(error)}`);
    return linePart(`${beginningOf(jsonBeginning(value, CUT), limit)}\n${cutHere(undefined)}`);
  }
}

const BEGINNING = 8_192;
const CUT = 500_000;
const LARGEST_VALUE = 600_000; // more than any limit allows
