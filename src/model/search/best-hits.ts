/** The best of many, without sorting all of them. Those with the same score are ordered by `compare`. */
export class BestHits {
  readonly #limit: number;
  readonly #compare: (a: number, b: number) => number;
  #hits: Hit[] = [];
  /** What the last of the best has, once there are enough: nobody below it matters. */
  #least = -Infinity;

  constructor(limit: number, compare: (a: number, b: number) => number) {
    this.#limit = limit;
    this.#compare = compare;
    if (limit === 0) this.#least = Infinity;
  }

  /** Under this score nobody is among the best any more. */
  get least(): number {
    return this.#least;
  }

  add(place: number, score: number): void {
    this.#hits.push({ place, score });
    if (this.#hits.length >= 2 * this.#limit + SLACK) this.#cut();
  }

  toArray(): readonly Hit[] {
    this.#cut();
    return this.#hits;
  }

  #cut(): void {
    const sorted = this.#hits.toSorted((a, b) => b.score - a.score || this.#compare(a.place, b.place));
    this.#hits = sorted.slice(0, this.#limit);
    if (this.#hits.length === this.#limit && this.#limit > 0) this.#least = this.#hits.at(-1)!.score;
  }
}

export interface Hit {
  /** The number of a tool, counted through all segments. */
  readonly place: number;
  readonly score: number;
}

const SLACK = 16; // so that a small limit does not mean sorting all the time
