import { fingerprintsOf, hashOfSymbols, SHINGLE } from './fingerprints.js';
import { LONGEST_NAME, namePieces } from './name-pieces.js';
import { SECRET_START, type ReadTexts } from './read-texts.js';
import type { Symbols, SymbolText } from './symbols.js';

/** A part of a text that repeats what was read. */
export interface FoundCopy {
  /** Places in the text. */
  readonly from: number;
  readonly to: number;
  /** The number of the reading that most of it is from. */
  readonly reading: number;
  readonly isSecret: boolean;
}

export interface FindCopiesOptions {
  readonly symbols: Symbols;
  /** Whether a text of this reading may not be repeated here. */
  readonly isCounted: (reading: number) => boolean;
  /** Whether a secret of this reading may not be repeated here. */
  readonly isSecretCounted: (reading: number) => boolean;
}

/**
 * The parts of a text that repeat what was read: from 46 letters and digits in a row on always, below 32 never. Names,
 * such as paths and URLs, are no copy, unless there are many that came from inside. Secrets are found from 8 on.
 */
export function findCopies(known: ReadTexts, text: string, options: FindCopiesOptions): readonly FoundCopy[] {
  const spelled = options.symbols.of(text);
  return [...findSecrets(known, spelled, options), ...findRuns(known, text, spelled, options)];
}

function findRuns(
  known: ReadTexts,
  text: string,
  spelled: SymbolText,
  { isCounted }: FindCopiesOptions,
): readonly FoundCopy[] {
  const runs: Run[] = [];
  const prints = fingerprintsOf(spelled.symbols);
  let run: Run | undefined;
  for (let at = 0; at < prints.length; at++) {
    const reading = known.readingOf(prints[at]!);
    if (reading === 0 || !isCounted(reading)) continue;
    if (run && at <= run.to) {
      run.to = at + SHINGLE;
      run.readings.set(reading, (run.readings.get(reading) ?? 0) + 1);
    } else runs.push((run = { from: at, to: at + SHINGLE, readings: new Map([[reading, 1]]) }));
  }
  const long = runs.filter(({ from, to }) => to - from >= COPY);
  if (long.length === 0) return [];
  const copies: FoundCopy[] = [];
  const named: { readonly copy: FoundCopy; readonly names: number }[] = [];
  for (const one of long) {
    const copy = toCopy(one, spelled);
    const names = namesIn(known, text, spelled, one);
    if (one.to - one.from - names >= COPY) copies.push(copy);
    else if (!known.reading(copy.reading).isOutside) named.push({ copy, names });
  }
  const all = named.reduce((sum, { names }) => sum + names, 0);
  return all >= MANY_NAMES ? [...copies, ...named.map(({ copy }) => copy)] : copies;
}

interface Run {
  /** Indexes of symbols. */
  readonly from: number;
  to: number;
  readonly readings: Map<number, number>;
}

function toCopy({ from, to, readings }: Run, { places }: SymbolText): FoundCopy {
  const [reading = 0] = [...readings].toSorted(([, one], [, other]) => other - one)[0] ?? [];
  return { from: places[from]!, to: places[to - 1]! + 1, reading, isSecret: false };
}

/** How many symbols of a run are of names that were read. */
function namesIn(known: ReadTexts, text: string, spelled: SymbolText, { from, to }: Run): number {
  const { places } = spelled;
  return namePieces(text, spelled, wordStart(text, places[from]!), places[to - 1]! + 1)
    .filter(({ hash }) => known.isName(hash))
    .reduce((sum, piece) => sum + Math.max(0, Math.min(piece.to, to) - Math.max(piece.from, from)), 0);
}

/** A name may begin before the run. */
function wordStart(text: string, place: number): number {
  let start = place;
  while (start > 0 && place - start < LONGEST_NAME && !/\s/u.test(text[start - 1]!)) start--;
  return start;
}

function findSecrets(
  known: ReadTexts,
  { symbols, places }: SymbolText,
  { isSecretCounted }: FindCopiesOptions,
): readonly FoundCopy[] {
  if (!known.hasSecrets) return [];
  const copies: FoundCopy[] = [];
  for (let at = 0; at + SECRET_START <= symbols.length; at++) {
    for (const { length, hash, reading } of known.secretsFrom(hashOfSymbols(symbols, at, at + SECRET_START)) ?? []) {
      const to = at + length;
      if (to > symbols.length || !isSecretCounted(reading) || hashOfSymbols(symbols, at, to) !== hash) continue;
      copies.push({ from: places[at]!, to: places[to - 1]! + 1, reading, isSecret: true });
    }
  }
  return copies;
}

const COPY = 32; // symbols: about seven words
const MANY_NAMES = 256; // symbols: a list of people or files, not one of them
