import { whyUnsaved } from './binary/binary-parts.js';
import { looksLikeJson } from './json-prefix.js';
import { schemaOfText, lookAtSpilled } from './saved-schema.js';
import { groupDigits } from '../base/group-digits.js';
import { linePart, type Part, type Shaping, textPart } from './shaping.js';
import { savedFileNotice } from './saved-file-notice.js';
import { writeText } from './text-file.js';
import { beginningOf, fit, leftAfter, type TextLimit } from './text-limit.js';
import { gateInTurns, gateSlice, slicesOf } from './text-slices.js';

export interface Fitted {
  /** All texts have passed the text gate. */
  readonly parts: readonly Part[];
  /** What is left of the limit. */
  readonly left: () => TextLimit;
  readonly isSaved: boolean;
}

/**
 * Makes the texts of a result fit the limit: unchanged; else all in one file, replaced by a notice with the beginning;
 * else, if saving fails, truncated. Other parts stay in place. `schema`: of the only text, if known.
 */
export async function fitText(parts: readonly Part[], { limit, schema, shaping }: Saving): Promise<Fitted> {
  const told: Part[] = [];
  for (const part of parts) told.push(part.kind === 'spilled' ? await tellSpilled(part, shaping) : part);
  const texts = told.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  if (!fit(texts, limit)) {
    return { parts: await save(told, texts, { limit, schema, shaping }), left: () => limit, isSaved: true };
  }
  const gated: Part[] = [];
  for (const part of told) {
    gated.push(part.kind === 'text' ? textPart(await gateInTurns(part.text, shaping.findings)) : part);
  }
  return { parts: gated, left: () => texts.reduce((left, text) => leftAfter(text, left), limit), isSaved: false };
}

async function tellSpilled(part: Part & { kind: 'spilled' }, shaping: Shaping): Promise<Part> {
  const { place, bytes, kind, preview } = part.spilled;
  const { lines, schema } = await lookAtSpilled(part.spilled);
  const isJson = kind === 'json' || schema !== undefined;
  shaping.saved.push({ path: place, bytes, mimeType: isJson ? 'application/json' : 'text/plain' });
  const what = kind === 'json' ? 'The structured content of this result' : 'A text of this result';
  const format = isJson ? 'JSON' : 'plain text';
  return linePart(
    savedFileNotice({ what, path: place, bytes, lines, format, schema, beginning: preview }, shaping.findings),
  );
}

export interface Saving {
  readonly limit: TextLimit;
  readonly schema?: (() => string) | undefined;
  readonly shaping: Shaping;
}

async function save(parts: readonly Part[], texts: readonly string[], saving: Saving): Promise<readonly Part[]> {
  const { options, saved, notes } = saving.shaping;
  const only = texts.length === 1 ? texts[0]! : undefined;
  const schema = only === undefined || !looksLikeJson(only) ? undefined : (saving.schema?.() ?? schemaOfText(only));
  const isJson = schema !== undefined;
  try {
    if (!options.store) throw new Error('there is no folder for results');
    const { findings } = saving.shaping;
    const written = await writeText(options.store, allSlices(texts), {
      extension: isJson ? 'json' : 'txt',
      signal: options.signal,
      gate: (slice) => gateSlice(isJson ? escapeLineEnds(slice) : slice, findings),
    });
    saved.push({ path: written.path, bytes: written.bytes, mimeType: isJson ? 'application/json' : 'text/plain' });
    const beginning =
      only ??
      texts
        .map((text) => text.slice(0, BEGINNING))
        .join('\n')
        .slice(0, BEGINNING);
    const about = { ...written, what: 'The text of this result', beginning, schema } as const;
    // A new map: the findings of the beginning were counted when the file was written.
    const told = savedFileNotice({ ...about, format: isJson ? 'JSON' : 'plain text' }, new Map());
    return inPlaceOfTexts(parts, [linePart(told)]);
  } catch (error) {
    notes.push(`The text could not be saved, so it was cut: ${whyUnsaved(error)}`);
    return truncate(parts, texts, saving);
  }
}

function* allSlices(texts: readonly string[]): Generator<string> {
  for (const [index, text] of texts.entries()) {
    if (index > 0) yield '\n';
    yield* slicesOf(text);
  }
}

/** The text gate makes newlines of these, which are not allowed inside a JSON string. */
function escapeLineEnds(json: string): string {
  return json.replaceAll(/[\u0085\u2028\u2029]/gu, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

async function truncate(
  parts: readonly Part[],
  texts: readonly string[],
  { limit, shaping }: Saving,
): Promise<readonly Part[]> {
  const kept: Part[] = [];
  // Leaves room for the notice.
  let left: TextLimit = { ...limit, most: Math.max(0, limit.most - ADVICE) };
  let characters = 0;
  for (const text of texts) {
    const beginning = beginningOf(text, left);
    characters += text.length - beginning.length;
    if (beginning !== '') kept.push(textPart(await gateInTurns(beginning, shaping.findings)));
    left = beginning === text ? leftAfter(text, left) : { ...left, most: 0 };
  }
  kept.push(linePart(cutHere(characters)));
  return inPlaceOfTexts(parts, kept);
}

/** Notice for a text whose rest could not be saved. */
export function cutHere(characters: number | undefined): string {
  const rest = characters === undefined ? 'The rest is' : `${groupDigits(characters)} more characters are`;
  return (
    `[Cut here. ${rest} not shown and could not be saved: ask for less at a time, ` +
    `by the parameters of the tool that page or filter.]`
  );
}

/** Puts `by` where the first text was; images and lines keep their order. */
function inPlaceOfTexts(parts: readonly Part[], by: readonly Part[]): readonly Part[] {
  const first = parts.findIndex(({ kind }) => kind === 'text');
  return parts.flatMap((part, index) => (index === first ? by : part.kind === 'text' ? [] : [part]));
}

const BEGINNING = 8_192;
const ADVICE = 100;
