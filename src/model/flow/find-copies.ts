import { SHINGLE } from './fingerprints.js';
import { type NamePiece, namesInText } from './name-pieces.js';
import type { ReadTexts } from './read-texts.js';
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
  /** The name of the place that the text goes to, as `hashOfPlace` gives it. */
  readonly to: number;
  /** Whether a text of this reading may not be repeated here. */
  readonly isCounted: (reading: number) => boolean;
  /** Whether a secret of this reading may not be repeated here. */
  readonly isSecretCounted: (reading: number) => boolean;
}

/**
 * The parts of a text that repeat what was read: from 46 letters and digits in a row on always, below 32 never. Names,
 * such as paths and URLs, are no copy, unless there are many. Secrets are found from 8 on. At most a hundred copies are
 * returned.
 */
export function findCopies(known: ReadTexts, text: string, options: FindCopiesOptions): readonly FoundCopy[] {
  const spelled = options.symbols.of(text);
  return [...findSecrets(known, spelled, options), ...findRuns(known, text, spelled, options)].slice(0, MOST);
}

const MOST = 100;

function findRuns(
  known: ReadTexts,
  text: string,
  spelled: SymbolText,
  { to, isCounted }: FindCopiesOptions,
): readonly FoundCopy[] {
  const runs: Run[] = [];
  const { prints, places } = known.printsOf(text, spelled.symbols);
  let run: Run | undefined;
  for (let index = 0; index < prints.length; index++) {
    const print = prints[index]!;
    const reading = known.readingOf(print);
    if (reading === 0 || !isCounted(reading) || known.isAlsoFrom(print, to)) continue;
    const at = places[index]!;
    if (run && at <= run.to) {
      run.to = at + SHINGLE;
      run.readings.set(reading, (run.readings.get(reading) ?? 0) + 1);
    } else runs.push((run = { from: at, to: at + SHINGLE, readings: new Map([[reading, 1]]) }));
  }
  const long = runs.filter((one) => one.to - one.from >= COPY);
  if (long.length === 0) return [];
  const copies: FoundCopy[] = [];
  const inside: Named[] = [];
  const outside: Named[] = [];
  const pieces = namesInText(text, spelled);
  let next = 0;
  for (const one of long) {
    const copy = toCopy(one, spelled);
    while (next < pieces.length && pieces[next]!.to <= one.from && pieces[next]!.from < one.from) next++;
    const names = lengthOfNames(pieces, next, { ...one, isName: (hash) => known.isName(hash, copy.reading) });
    if (one.to - one.from - names >= COPY) copies.push(copy);
    else if (known.reading(copy.reading).isOutside) outside.push({ copy, names });
    else inside.push({ copy, names });
  }
  return [...copies, ...ifMany(inside, MANY_NAMES), ...ifMany(outside, MANY_OUTSIDE)];
}

/** A copy of names alone. */
interface Named {
  readonly copy: FoundCopy;
  /** In symbols. */
  readonly names: number;
}

function ifMany(named: readonly Named[], most: number): readonly FoundCopy[] {
  const all = named.reduce((sum, { names }) => sum + names, 0);
  return all >= most ? named.map(({ copy }) => copy) : [];
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

/** How many symbols of a run are of names in its reading. `next`: the first piece that may be one of them. */
function lengthOfNames(
  pieces: readonly NamePiece[],
  next: number,
  { from, to, isName }: Pick<Run, 'from' | 'to'> & { readonly isName: (hash: number) => boolean },
): number {
  let sum = 0;
  let told = 0; // a URL and its pieces overlap
  for (let at = next; at < pieces.length && pieces[at]!.from < to; at++) {
    const piece = pieces[at]!;
    if (piece.to - piece.from < SHORTEST_NAME || !isName(piece.hash)) continue;
    sum += Math.max(0, Math.min(piece.to, to) - Math.max(piece.from, from, told));
    told = Math.max(told, piece.to);
  }
  return sum;
}

function findSecrets(
  known: ReadTexts,
  { symbols, places }: SymbolText,
  { isSecretCounted }: FindCopiesOptions,
): readonly FoundCopy[] {
  const copies: FoundCopy[] = [];
  let last: { readonly from: number; to: number; readonly reading: number } | undefined;
  const keep = (): void => {
    if (last)
      copies.push({ from: places[last.from]!, to: places[last.to - 1]! + 1, reading: last.reading, isSecret: true });
  };
  for (const { from, to, reading } of known.secretsIn(symbols)) {
    if (!isSecretCounted(reading)) continue;
    // A secret is also known by parts of it.
    if (last && from < last.to) last.to = Math.max(last.to, to);
    else {
      keep();
      if (copies.length === MOST) return copies;
      last = { from, to, reading };
    }
  }
  keep();
  return copies;
}

/** In symbols, some nine words. Shorter ones are said by everybody. */
export const COPY = 32;
const MANY_NAMES = 256; // symbols: a list of people or files, not one of them
const MANY_OUTSIDE = 512; // search results are passed on more often
const SHORTEST_NAME = 4; // symbols: a path of words that are shorter is a sentence
