import { shorten } from '../../base/shorten.js';

/** The changes made to one schema, one sentence each. Bounded: a schema may be wrong in ten thousand places. */
export class Repairs {
  readonly #sentences = new Set<string>();
  #more = 0;
  #count = 0;

  add(sentence: string): void {
    this.#count++;
    if (this.#sentences.size < SENTENCES) this.#sentences.add(sentence);
    else if (!this.#sentences.has(sentence)) this.#more++;
  }

  /** The number of changes, including those beyond the list. */
  get count(): number {
    return this.#count;
  }

  list(): readonly string[] {
    if (this.#count === 0) return NONE;
    return this.#more === 0 ? [...this.#sentences] : [...this.#sentences, `And ${this.#more} more changes like these`];
  }
}

/** The place of a change in a schema, for a sentence. */
export function toPlace(path: readonly string[]): string {
  if (path.length === 0) return 'the schema itself';
  const place = path.join('.');
  return shorten(place, PLACE);
}

const SENTENCES = 20;
const PLACE = 120;
const NONE: readonly string[] = [];
