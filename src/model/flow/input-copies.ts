import { type DecodedForm, decodedForms, type FlowEncoding } from './decoded-forms.js';
import { COPY, findCopies, type FindCopiesOptions, type FoundCopy } from './find-copies.js';
import type { ArgumentText, InputTexts } from './input-texts.js';
import { plainForm, unescapedForm } from './plain-form.js';
import { SECRET_START } from './read-secrets.js';
import type { ReadTexts } from './read-texts.js';

/** A part of an input that repeats what was read. */
export interface InputCopy {
  /** The argument: `url`, `items[2].body`. */
  readonly argument: string;
  /** The repeated part, decoded. */
  readonly text: string;
  readonly encoding: FlowEncoding | undefined;
  /** The number of the reading that most of it is from. */
  readonly reading: number;
  readonly isSecret: boolean;
}

/**
 * The parts of an input that repeat what was read: as they are, encoded, without markup, and spread over values and names
 * of fields. Undefined where they are too long to be compared.
 */
export function inputCopies(
  { values, names, all, size }: InputTexts,
  { known, limit, ...options }: FindCopiesOptions & { readonly known: ReadTexts; readonly limit: number },
): readonly InputCopy[] | undefined {
  if (size < (known.hasSecrets ? SECRET_START : COPY)) return [];
  const found: InputCopy[] = [];
  const look = (text: string, partsOf: () => Joined['parts'], encoding?: FlowEncoding): void => {
    if (found.length >= MOST) return;
    const copies = findCopies(known, text, options);
    if (copies.length === 0) return;
    const joined = { text, parts: partsOf() };
    found.push(...copies.map((copy) => toInputCopy(copy, joined, encoding)));
  };
  const lookAt = ({ text, parts }: Joined): void => look(text, () => parts);
  let left = limit;
  const shortest = known.hasSecrets ? SHORTEST_SECRET : SHORTEST_COPY;
  const lookInside = (source: Joined): boolean => {
    const { text, parts } = source;
    const plain = unescapedForm(text);
    if (plain !== undefined) look(plain, () => parts.slice(0, 1));
    const forms = decodedForms(text, { limit: left, shortest });
    const whole = { text, at: 0, length: text.length, encoding: undefined };
    for (const { text: inner, encoding, ...place } of [whole, ...(forms ?? [])]) {
      const unmarked = plainForm(inner);
      if (encoding) look(inner, () => spreadOver(inner, source, place), encoding);
      if (unmarked !== undefined) look(unmarked, () => spreadOver(unmarked, source, place), encoding);
      left -= (encoding ? inner.length : 0) + (unmarked?.length ?? 0);
    }
    left -= plain?.length ?? 0;
    return forms !== undefined && left >= 0;
  };
  for (const parts of [values, names]) {
    lookAt(join(parts, '\n'));
    for (const part of parts) if (part.text.length >= SHORT && !lookInside(join([part], ''))) return undefined;
    // What is encoded may be spread over several values, also with something between them.
    const short = parts.filter(isShort);
    if (short.length < 2) continue;
    const whole = join(short, '');
    if (whole.text.length < shortest) continue;
    if (!lookInside(whole) || !lookInside(join(short, '\n'))) return undefined;
  }
  // A text may be spread over names and values, as a form is. Long ones are compared by themselves.
  if (names.length > 1) {
    lookAt(join(all.map(withoutMiddle), '\n'));
    if (!lookInside(join(all.filter(isShort), '\n'))) return undefined;
  }
  return distinct(found);
}

function isShort({ text }: ArgumentText): boolean {
  return text.length < SPREAD;
}

function toInputCopy({ from, to, reading, isSecret }: FoundCopy, joined: Joined, encoding?: FlowEncoding): InputCopy {
  const first = partAt(joined, from);
  // The letters before a copy may happen to be those that were before it where it was read.
  const isBefore = first.end - from < SHORT && first.end < to;
  const { argument, begin, end } = isBefore ? partAt(joined, first.end) : first;
  const text = inWords(joined.text.slice(begin, end), Math.max(0, from - begin), Math.min(to, end) - begin);
  return { argument, text: text.slice(0, EXCERPT), encoding, reading, isSecret };
}

/** Texts as one, and where each begins. */
interface Joined {
  readonly text: string;
  readonly parts: readonly { readonly argument: string; readonly from: number }[];
}

function join(texts: readonly ArgumentText[], between: string): Joined {
  let from = 0;
  const parts = texts.map(({ argument, text }) => {
    const part = { argument, from };
    from += text.length + between.length;
    return part;
  });
  return { text: texts.map(({ text }) => text).join(between), parts };
}

/** Which argument has what of a text that was made of a part of another one, as far as that is known. */
function spreadOver(
  text: string,
  { parts }: Joined,
  { at, length }: Pick<DecodedForm, 'at' | 'length'>,
): Joined['parts'] {
  const scale = text.length / Math.max(1, length);
  const placed = [];
  for (let index = indexAt(parts, at); index < parts.length && parts[index]!.from < at + length; index++) {
    const { argument, from } = parts[index]!;
    // An argument that begins before the part has it from its beginning.
    placed.push({ argument, from: Math.max(0, Math.floor((from - at) * scale)) });
  }
  return placed;
}

function withoutMiddle({ argument, text }: ArgumentText): ArgumentText {
  if (text.length <= 2 * SPREAD) return { argument, text };
  return { argument, text: `${text.slice(0, SPREAD)}\n${text.slice(-SPREAD)}` };
}

function partAt(
  { text, parts }: Joined,
  at: number,
): { readonly argument: string; readonly begin: number; readonly end: number } {
  const index = indexAt(parts, at);
  const { argument = '', from: begin = 0 } = parts[index] ?? {};
  return { argument, begin, end: parts[index + 1]?.from ?? text.length };
}

/** The part that has a place: the last one that begins there or before. */
function indexAt(parts: Joined['parts'], at: number): number {
  let [index, after] = [0, parts.length];
  while (after - index > 1) {
    const middle = (index + after) >> 1;
    if (parts[middle]!.from <= at) index = middle;
    else after = middle;
  }
  return index;
}

/** A part of a text with the rest of the words at its ends, which fingerprints leave out. */
function inWords(text: string, from: number, to: number): string {
  const before = /[\p{L}\p{N}]{0,20}$/u.exec(text.slice(Math.max(0, from - 20), from))![0];
  const after = /^[\p{L}\p{N}]{0,20}/u.exec(text.slice(to, to + 20))![0];
  return before + text.slice(from, to) + after;
}

/** Without what was found twice, as it is and within something decoded. */
function distinct(found: readonly InputCopy[]): InputCopy[] {
  const seen = new Map(found.toReversed().map((copy) => [`${copy.argument} ${copy.text}`, copy]));
  return [...seen.values()].toReversed();
}

const SHORT = 16; // characters of a value that may have a form of its own
const SHORTEST_COPY = 40; // characters of base64: 30 bytes are no copy
const SHORTEST_SECRET = 24;
const SPREAD = 256; // what is encoded in a longer value is found in it alone
const EXCERPT = 200;
const MOST = 1_000; // copies; what is shown of them is less
