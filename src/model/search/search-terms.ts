import { isWithinEdits, mayBeWithin, toLetters } from './near-words.js';

/** The stems of the words of all tools, each with a number: found whole, by how they begin, or by looking like others. */
export class SearchTerms {
  readonly #numbers = new Map<string, number>();
  /** Numbers that nobody has any more. */
  readonly #free: number[] = [];
  /** For each number what the tool that is being read has of it: weight, how often in the field at hand, and which field that is. */
  readonly seen = [0];
  /** For each number how many tools have it. */
  readonly counts = [0];
  /** What was made of words as they are written, until the next search: most are looked up here and nowhere else. */
  known = new Map<string, number | readonly number[]>();
  /** In order, for those that are not asked for whole. */
  #sorted: readonly string[] | undefined;
  /** What toLetters says of each of them. */
  #letters: Int32Array | undefined;

  get(text: string): number | undefined {
    return this.#numbers.get(text);
  }

  make(text: string): number {
    // A copy: a piece of a description would keep the whole of it in memory, unless it is short.
    const own = text.length < PIECE_UNITS ? text : (JSON.parse(JSON.stringify(text)) as string);
    const term = this.#free.pop() ?? Math.min(this.seen.push(0), this.counts.push(0)) - 1;
    this.#numbers.set(own, term);
    this.#sorted = undefined;
    return term;
  }

  /** Forgets those that no tool has. */
  settle(): void {
    this.#numbers.forEach((term, text) => {
      if (this.counts[term]! > 0) return;
      this.#numbers.delete(text);
      this.#free.push(term);
      this.#sorted = undefined;
    });
    this.known = new Map();
  }

  /** The word as it is; failing that, words that begin so; failing that, words that look like it. */
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

  /** Those that begin so, itself not among them. */
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

  /** Stops when the budget is used up: words can be made to resemble everything. */
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

/** What a word of a query is found as. */
export interface WordMatches {
  /** The best ones come first. */
  readonly terms: readonly TermMatch[];
  /** The word itself is among them. */
  readonly isExact: boolean;
}

export interface TermMatch {
  readonly term: number;
  /** At most 1, which is the word itself. */
  readonly weight: number;
}

/** What is left of what one query may cost. */
export interface Budget {
  /** That may be mistyped, each of which is held against every term there is. */
  words: number;
  /** Letter by letter. */
  comparisons: number;
}

export const NOWHERE = 0; // the number of all that there is no room for
const PIECE_UNITS = 13; // V8 copies shorter ones
const PART_WEIGHT = 0.6; // who writes PostgreSQL and finds no such word is helped by SQL
const SIDE_PART_WEIGHT = 0.2; // and who finds it, less
const PREFIX_WEIGHT = 0.5;
const TYPO_WEIGHT = 0.5;
const TWO_TYPOS_WEIGHT = 0.3;
const OTHER_START_WEIGHT = 0.8; // the first letter is seldom the wrong one
const PREFIX_UNITS = 2; // so many letters at least, unless they are of a script in which one can be a word
const PREFIX_TERMS = 5_000; // no two letters begin as many of the 20,000 terms that 10,000 tools of real servers have
const TYPO_UNITS = 4;
const TWO_TYPOS_UNITS = 8;

function byWeight(a: TermMatch, b: TermMatch): number {
  return b.weight - a.weight;
}
