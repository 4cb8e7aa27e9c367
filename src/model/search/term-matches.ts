import type { QueryWord } from './search-query.js';
import type { SearchSegment } from './search-segment.js';
import type { TermDirectory } from './term-directory.js';
import { type Budget, keyOf } from './term-table.js';

/** Where a word of a query is found: in which terms of which segments, and how much each of them counts. */
export interface WordMatches {
  /** How many tools have it; one that has several of the terms is counted for each. */
  readonly count: number;
  /** Of each segment the best ones come first. */
  readonly terms: readonly TermMatch[];
  /** The word itself is among them. */
  readonly isExact: boolean;
}

export interface TermMatch {
  /** Its place among the segments. */
  readonly segment: number;
  readonly term: number;
  /** At most 1, which is the word itself. */
  readonly weight: number;
}

/** The word as it is; failing that, words that begin so; failing that, words that look like it. */
export function matchWord(
  directory: TermDirectory,
  { stems }: QueryWord,
  budget: Budget & { words: number },
): WordMatches {
  const { segments } = directory;
  const exact = exactly(directory, stems);
  if (exact.length > 0) return toMatches(segments, exact, true);
  const longer = beginning(segments, stems[0]!);
  if (longer.length > 0 || budget.words === 0) return toMatches(segments, longer, false);
  budget.words--;
  return toMatches(segments, resembling(segments, stems[0]!, budget), false);
}

/** With the words that begin so: for when the word itself finds too little. */
export function widen({ segments }: TermDirectory, { stems }: QueryWord, found: WordMatches): WordMatches {
  return toMatches(segments, [...found.terms, ...beginning(segments, stems[0]!)], true);
}

/** One term, as it is. */
export function matchTerm(directory: TermDirectory, stem: string): WordMatches {
  return toMatches(directory.segments, exactly(directory, [stem]), true);
}

const PART_WEIGHT = 0.6; // who writes PostgreSQL and finds no such word is helped by SQL
const SIDE_PART_WEIGHT = 0.2; // and who finds it, less
const PREFIX_WEIGHT = 0.5;
const TYPO_WEIGHTS = [0.5, 0.5, 0.3];
const OTHER_START_WEIGHT = 0.8; // the first letter is seldom the wrong one
const PREFIX_UNITS = 2; // so many letters at least, unless they are of a script in which one can be a word
const PREFIX_TERMS = 200; // of one segment
const TYPO_UNITS = 4;
const TWO_TYPOS_UNITS = 8;

function exactly(directory: TermDirectory, stems: readonly string[]): TermMatch[] {
  const found: TermMatch[] = [];
  for (const [place, stem] of stems.entries()) {
    const weight = place === 0 ? 1 : found[0]?.weight === 1 ? SIDE_PART_WEIGHT : PART_WEIGHT;
    directory.find(stem, keyOf(stem), (segment, term) => found.push({ segment, term, weight }));
  }
  return found;
}

function beginning(segments: readonly SearchSegment[], stem: string): TermMatch[] {
  if (stem.length < PREFIX_UNITS && stem < '\u0080') return [];
  const found: TermMatch[] = [];
  for (const [segment, { terms }] of segments.entries()) {
    const { from, to } = terms.startingWith(stem);
    for (let term = from; term < Math.min(to, from + PREFIX_TERMS); term++) {
      found.push({ segment, term, weight: PREFIX_WEIGHT * (stem.length / terms.strings.lengthOf(term)) });
    }
  }
  return found.toSorted(byWeight);
}

function resembling(segments: readonly SearchSegment[], stem: string, budget: Budget): TermMatch[] {
  if (stem.length < TYPO_UNITS) return [];
  const distance = stem.length < TWO_TYPOS_UNITS ? 1 : 2;
  const found: TermMatch[] = [];
  for (const [segment, { terms }] of segments.entries()) {
    for (const { term, edits } of terms.near(stem, { distance, budget })) {
      const isSameStart = terms.strings.unitAt(term, 0) === stem.charCodeAt(0);
      found.push({ segment, term, weight: TYPO_WEIGHTS[edits]! * (isSameStart ? 1 : OTHER_START_WEIGHT) });
    }
  }
  return found.toSorted(byWeight);
}

function byWeight(a: TermMatch, b: TermMatch): number {
  return b.weight - a.weight;
}

function toMatches(segments: readonly SearchSegment[], terms: readonly TermMatch[], isExact: boolean): WordMatches {
  let count = 0;
  for (const { segment, term } of terms) count += segments[segment]!.counts[term]!;
  return { count, terms, isExact };
}
