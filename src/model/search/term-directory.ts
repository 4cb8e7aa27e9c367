import type { SearchSegment } from './search-segment.js';

/**
 * Which of many segments may have a term: for each of a few thousand groups of words a bit for every segment with one of them. Most
 * servers have few of all words, and looking into each of five hundred for every word would be most of a search.
 */
export class TermDirectory {
  readonly segments: readonly SearchSegment[];
  readonly #bits: Uint32Array;
  /** How many numbers make up the bits of a group. */
  readonly #width: number;

  constructor(segments: readonly SearchSegment[]) {
    this.segments = segments;
    this.#width = Math.ceil(segments.length / 32);
    this.#bits = new Uint32Array(GROUPS * this.#width);
    for (const [place, { terms }] of segments.entries()) {
      const word = place >>> 5;
      const bit = 1 << (place & 31);
      for (const key of terms.keys) this.#bits[groupOf(key) * this.#width + word]! |= bit;
    }
  }

  /** Calls `see` for every segment that has the term, in their order. */
  find(text: string, key: number, see: (segment: number, term: number) => void): void {
    const start = groupOf(key) * this.#width;
    for (let word = 0; word < this.#width; word++) {
      for (let bits = this.#bits[start + word]!; bits !== 0; bits &= bits - 1) {
        const segment = word * 32 + 31 - Math.clz32(bits & -bits);
        const term = this.segments[segment]!.terms.find(text, key);
        if (term >= 0) see(segment, term);
      }
    }
  }
}

const GROUP_BITS = 12;
const GROUPS = 1 << GROUP_BITS;

/** Keys of similar words are close to each other; multiplied by a large odd number they are not. */
function groupOf(key: number): number {
  return Math.imul(key, 0x9e37_79b1) >>> (32 - GROUP_BITS);
}
