import { isWithinEdits, mayBeWithin, toLetters } from './near-words.js';

/** The stems of all tools' words, each with a number: found exactly, by prefix, or by similarity. */
export class SearchTerms {
  readonly #numbers = new Map<string, number>();
  /** Numbers that are free again. */
  readonly #free: number[] = [];
  /** For each number, of the tool being read: weight, occurrences in the current field, and this field's index. */
  readonly seen = [0];
  /** For each number, how many tools have the term. */
  readonly counts = [0];
  /** The terms of words as written, until the next search: a cache that most lookups hit. */
  known = new Map<string, number | readonly number[]>();
  /** All stems in order, for searches by prefix and similarity. */
  #sorted: readonly string[] | undefined;
  /** `toLetters` of each stem. */
  #letters: Int32Array | undefined;

  get(text: string): number | undefined {
    return this.#numbers.get(text);
  }

  make(text: string): number {
    // Copies the text: a slice would keep the whole description in memory, unless it is short.
    const own = text.length < PIECE_UNITS ? text : (JSON.parse(JSON.stringify(text)) as string);
    const term = this.#free.pop() ?? Math.min(this.seen.push(0), this.counts.push(0)) - 1;
    this.#numbers.set(own, term);
    this.#sorted = undefined;
    return term;
  }

  /** Removes the terms that no tool has. */
  settle(): void {
    this.#numbers.forEach((term, text) => {
      if (this.counts[term]! > 0) return;
      this.#numbers.delete(text);
      this.#free.push(term);
      this.#sorted = undefined;
    });
    this.known = new Map();
  }

  /** The word itself; if no tool has it, words that begin with it; if there are none, similar words. */
  match(stems: readonly string[], budget: Budget): WordMatches {
    const exact = this.exactly(stems);
    if (exact.length > 0) return { terms: exact, isExact: true };
    const longer = this.startingWith(stems[0]!);
    if (longer.length > 0 || budget.words === 0) return { terms: longer, isExact: false };
    budget.words--;
    return { terms: this.#resembling(stems[0]!, budget), isExact: false };
  }

  exactly(stems: readonly string[]): TermMatch[] {
    const found: TermMatch[] = [];
    for (const [place, stem] of stems.entries()) {
      const term = this.get(stem);
      const weight = place === 0 ? 1 : found[0]?.weight === 1 ? SIDE_PART_WEIGHT : PART_WEIGHT;
      if (term !== undefined) found.push({ term, weight });
    }
    return found;
  }

  /** The terms that begin with `start`, without `start` itself. */
  startingWith(start: string): TermMatch[] {
    if (start.length < PREFIX_UNITS && start < '\u0080') return [];
    const sorted = this.#inOrder();
    let low = 0;
    for (let high = sorted.length; low < high;) {
      const middle = (low + high) >>> 1;
      if (sorted[middle]! <= start) low = middle + 1;
      else high = middle;
    }
    const found: TermMatch[] = [];
    for (; found.length < PREFIX_TERMS && sorted[low]?.startsWith(start) === true; low++) {
      found.push({ term: this.get(sorted[low]!)!, weight: PREFIX_WEIGHT * (start.length / sorted[low]!.length) });
    }
    return found.toSorted(byWeight);
  }

  /** Stops when the budget is spent: words can be made to resemble everything. */
  #resembling(stem: string, budget: Budget): TermMatch[] {
    if (stem.length < TYPO_UNITS) return [];
    const edits = stem.length < TWO_TYPOS_UNITS ? 1 : 2;
    const sorted = this.#inOrder();
    const letters = (this.#letters ??= Int32Array.from(sorted, toLetters));
    const found: TermMatch[] = [];
    for (const at of mayBeWithin(letters, toLetters(stem), edits)) {
      if (budget.comparisons-- <= 0) break;
      const text = sorted[at]!;
      if (!isWithinEdits(text, stem, edits)) continue;
      const isClose = edits === 1 || isWithinEdits(text, stem, 1);
      const weight = (isClose ? TYPO_WEIGHT : TWO_TYPOS_WEIGHT) * (text[0] === stem[0] ? 1 : OTHER_START_WEIGHT);
      found.push({ term: this.get(text)!, weight });
    }
    return found.toSorted(byWeight);
  }

  #inOrder(): readonly string[] {
    if (this.#sorted) return this.#sorted;
    this.#letters = undefined;
    return (this.#sorted = [...this.#numbers.keys()].toSorted());
  }
}

/** The terms that a query word matches. */
export interface WordMatches {
  /** Best first. */
  readonly terms: readonly TermMatch[];
  /** Whether the word itself is among them. */
  readonly isExact: boolean;
}

export interface TermMatch {
  readonly term: number;
  /** At most 1, for the word itself. */
  readonly weight: number;
}

/** The remaining budget of one query. */
export interface Budget {
  /** Words that may be mistyped; each is compared with every term. */
  words: number;
  /** Comparisons by letters. */
  comparisons: number;
}

export const OVERFLOW_TERM = 0; // the number of all terms beyond the limit
const PIECE_UNITS = 13; // code units; V8 copies shorter slices
const PART_WEIGHT = 0.6; // a query for PostgreSQL that finds no such word may match SQL
const SIDE_PART_WEIGHT = 0.2; // and with less weight if it finds the word
const PREFIX_WEIGHT = 0.5;
const TYPO_WEIGHT = 0.5;
const TWO_TYPOS_WEIGHT = 0.3;
const OTHER_START_WEIGHT = 0.8; // the first letter is seldom mistyped
const PREFIX_UNITS = 2; // letters at least, except in scripts where one can be a word
const PREFIX_TERMS = 5_000; // no two letters begin as many of the 20,000 terms of 10,000 real tools
const TYPO_UNITS = 4;
const TWO_TYPOS_UNITS = 8;

function byWeight(a: TermMatch, b: TermMatch): number {
  return b.weight - a.weight;
}
