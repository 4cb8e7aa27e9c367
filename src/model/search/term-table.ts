import type { StringTable } from './string-table.js';

/** The words of a segment in order, found whole, by how they begin, or by looking like another. */
export class TermTable {
  readonly strings: StringTable;
  /** How each begins, as a number that orders them: most words are told apart by it, without looking at them. */
  readonly keys: Uint32Array;
  /** What toLetters says of each. Made when somebody first mistypes. */
  #letters: Int32Array | undefined;

  constructor(strings: StringTable) {
    this.strings = strings;
    this.keys = new Uint32Array(strings.size);
    for (let term = 0; term < strings.size; term++) {
      this.keys[term] = toKey(strings.lengthOf(term), (place) => strings.unitAt(term, place));
    }
  }

  /** Which term it is, or -1. `key` is its keyOf, made once for many tables. */
  find(text: string, key: number): number {
    const at = this.#lowerBound(text, key);
    return at < this.strings.size && this.keys[at] === key && this.strings.compare(at, text) === 0 ? at : -1;
  }

  /** The terms that begin so, itself not among them: from the first up to the one before the last. */
  startingWith(text: string): { readonly from: number; readonly to: number } {
    const from = this.#lowerBound(text, keyOf(text));
    // The highest unit there is: what begins with the text comes before it.
    const end = `${text}\uffff`;
    const to = this.#lowerBound(end, keyOf(end));
    return { from: from < this.strings.size && this.strings.compare(from, text) === 0 ? from + 1 : from, to };
  }

  /** Terms at most so many edits away. Stops when the budget is used up: a table can be made to resemble everything. */
  near(text: string, { distance, budget }: Nearness): NearTerm[] {
    const found: NearTerm[] = [];
    const letters = (this.#letters ??= this.#toLetters());
    const wanted = toLetters(text.length, (place) => text.charCodeAt(place)) & LETTERS;
    const length = Math.min(text.length, LONGEST);
    for (let term = 0; term < letters.length; term++) {
      const has = letters[term]!;
      const longer = (has >>> LENGTH_BIT) - length;
      if (longer > distance || longer < -distance) continue;
      // An edit takes away one letter at most, and brings one at most.
      if (countBits(has & ~wanted & LETTERS) > distance || countBits(wanted & ~has) > distance) continue;
      if (budget.left-- <= 0) break;
      if (!isWithin(this.strings, { term, text, at: 0, place: 0, edits: distance })) continue;
      const isClose = distance > 1 && isWithin(this.strings, { term, text, at: 0, place: 0, edits: 1 });
      found.push({ term, edits: isClose ? 1 : distance });
    }
    return found;
  }

  #toLetters(): Int32Array {
    const { strings } = this;
    return Int32Array.from({ length: strings.size }, (_, term) =>
      toLetters(strings.lengthOf(term), (place) => strings.unitAt(term, place)),
    );
  }

  #lowerBound(text: string, key: number): number {
    const keys = this.keys;
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = keys[middle]!;
      if (found < key || (found === key && this.strings.compare(middle, text) < 0)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export interface NearTerm {
  readonly term: number;
  readonly edits: number;
}

export interface Nearness {
  /** In edits. */
  readonly distance: number;
  readonly budget: Budget;
}

/** How many more words may be compared letter by letter. */
export interface Budget {
  left: number;
}

export function keyOf(text: string): number {
  return toKey(text.length, (place) => text.charCodeAt(place));
}

const KEY_UNITS = 6; // five bits each

/** In the order of the words: never smaller for a word that comes later. */
function toKey(length: number, unitAt: (place: number) => number): number {
  let key = 0;
  for (let place = 0; place < length && place < KEY_UNITS; place++) {
    const unit = unitAt(place);
    key |= rank(unit) << ((KEY_UNITS - 1 - place) * 5);
    // Others share their rank, so that what follows one of them cannot tell who comes first.
    if (unit < SMALL_A || unit > SMALL_Z) break;
  }
  return key;
}

function rank(unit: number): number {
  if (unit > SMALL_Z) return 29;
  if (unit >= SMALL_A) return unit - SMALL_A + 3;
  if (unit > NINE) return 2;
  return unit >= ZERO ? 1 : 0;
}

const ZERO = 0x30;
const NINE = 0x39;
const SMALL_A = 0x61;
const SMALL_Z = 0x7a;

/**
 * Whether so many edits are enough from here on, a swap of neighbours being one. Goes along both while they agree and tries every
 * edit where they do not: with two edits left that is faster than a table of distances, and needs no memory.
 */
function isWithin(strings: StringTable, { term, text, at, place, edits }: Comparison): boolean {
  const length = strings.lengthOf(term);
  let a = at;
  let b = place;
  while (a < length && b < text.length && strings.unitAt(term, a) === text.charCodeAt(b)) {
    a++;
    b++;
  }
  const restA = length - a;
  const restB = text.length - b;
  if (Math.abs(restA - restB) > edits) return false;
  if (restA <= edits && restB <= edits) return true;
  if (edits === 0) return false;
  const goOn = (stepA: number, stepB: number): boolean =>
    isWithin(strings, { term, text, at: a + stepA, place: b + stepB, edits: edits - 1 });
  if ((restA > 0 && restB > 0 && goOn(1, 1)) || (restA > 0 && goOn(1, 0)) || (restB > 0 && goOn(0, 1))) return true;
  const isSwapped =
    restA > 1 &&
    restB > 1 &&
    strings.unitAt(term, a) === text.charCodeAt(b + 1) &&
    strings.unitAt(term, a + 1) === text.charCodeAt(b);
  return isSwapped && goOn(2, 2);
}

interface Comparison {
  readonly term: number;
  readonly text: string;
  /** How far both have been compared: the term, and the text. */
  readonly at: number;
  readonly place: number;
  readonly edits: number;
}

/** Which letters a word has, and in the highest bits how long it is: most words are ruled out by one look at it. */
function toLetters(length: number, unitAt: (place: number) => number): number {
  let letters = 0;
  for (let place = 0; place < length; place++) letters |= 1 << ((unitAt(place) & 31) % LENGTH_BIT);
  return letters | (Math.min(length, LONGEST) << LENGTH_BIT);
}

const LENGTH_BIT = 27;
const LONGEST = 31;
const LETTERS = (1 << LENGTH_BIT) - 1;

function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return (((fours + (fours >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
