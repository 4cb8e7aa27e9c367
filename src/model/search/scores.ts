import type { SearchSegment } from './search-segment.js';

/** What each tool has gained in one search. Used again for the next one: arrays of this size take longer to make than a search. */
export class Scores {
  readonly #values: Float64Array;
  /** A bit for every word that a tool has. */
  readonly #words: Int32Array;
  /** The tools that have gained anything. */
  readonly #gainers: Uint32Array;
  #count = 0;

  constructor(size: number) {
    this.#values = new Float64Array(size);
    this.#words = new Int32Array(size);
    this.#gainers = new Uint32Array(size);
  }

  /** Gives to every tool with the term. A word counts once: who has it already gains nothing, so the best term comes first. */
  add(segment: SearchSegment, { term, base, bit, factor, averageLength }: Gain): void {
    const { postings, starts, lengths } = segment;
    const values = this.#values;
    const words = this.#words;
    const perWord = (SATURATION * LENGTH_SHARE) / averageLength;
    const end = starts[term + 1]!;
    let document = -1;
    for (let at = starts[term]!; at < end; at++) {
      let byte = postings[at++]!;
      let step = byte & 0x7f;
      for (let shift = 7; byte > 0x7f; shift += 7) {
        byte = postings[at++]!;
        step |= (byte & 0x7f) << shift;
      }
      document += step;
      const place = base + document;
      const had = words[place]!;
      if ((had & bit) !== 0) continue;
      const weight = postings[at]!;
      if (had === 0) this.#gainers[this.#count++] = place;
      words[place] = had | bit;
      values[place]! += (factor * weight) / (weight + SATURATION * (1 - LENGTH_SHARE) + perWord * lengths[document]!);
    }
  }

  /** Calls `see` for all that have gained, and forgets them, whatever `see` does. */
  drain(see: (place: number, score: number, words: number) => void): void {
    const count = this.#count;
    this.#count = 0;
    let at = 0;
    try {
      for (; at < count; at++) {
        const place = this.#gainers[at]!;
        const score = this.#values[place]!;
        const words = this.#words[place]!;
        this.#values[place] = 0;
        this.#words[place] = 0;
        see(place, score, words);
      }
    } finally {
      for (; at < count; at++) {
        this.#values[this.#gainers[at]!] = 0;
        this.#words[this.#gainers[at]!] = 0;
      }
    }
  }
}

export interface Gain {
  readonly term: number;
  /** The number of the segment's first tool. */
  readonly base: number;
  /** Of the word that the term stands for. */
  readonly bit: number;
  /** What a tool gains at most. */
  readonly factor: number;
  /** In words, of all tools. */
  readonly averageLength: number;
}

// BM25 with weights for fields: k1 is high, because a word in a name weighs as much as twelve in a description.
const SATURATION = 5;
const LENGTH_SHARE = 0.3; // b: a long description is more often thorough than beside the point
