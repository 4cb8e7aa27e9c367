/** Numbers by fingerprint, in two typed arrays: eight bytes a place, at most half of which are taken. */
export class FingerprintTable {
  /** A server that knew it could choose texts whose fingerprints all want the same place. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32) | 1;
  #prints = new Uint32Array(FIRST_PLACES);
  /** 0: the place is free. */
  #values = new Uint32Array(FIRST_PLACES);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** 0: none. */
  get(print: number): number {
    return this.#values[this.#placeOf(print)]!;
  }

  /** `value`: more than 0. */
  set(print: number, value: number): void {
    let place = this.#placeOf(print);
    if (this.#values[place] === 0) {
      if (2 * (this.#size + 1) > this.#values.length) {
        this.#grow();
        place = this.#placeOf(print);
      }
      this.#size++;
      this.#prints[place] = print;
    }
    this.#values[place] = value;
  }

  #placeOf(print: number): number {
    const prints = this.#prints;
    const values = this.#values;
    const last = values.length - 1;
    let place = spread(Math.imul(print, this.#seed)) & last;
    while (values[place] !== 0 && prints[place] !== print) place = (place + 1) & last;
    return place;
  }

  #grow(): void {
    const prints = this.#prints;
    const values = this.#values;
    this.#prints = new Uint32Array(2 * prints.length);
    this.#values = new Uint32Array(2 * prints.length);
    for (let at = 0; at < values.length; at++) {
      if (values[at] === 0) continue;
      const place = this.#placeOf(prints[at]!);
      this.#prints[place] = prints[at]!;
      this.#values[place] = values[at]!;
    }
  }
}

/** The high bits of a product depend on all bits of its factors, the low bits do not. */
function spread(product: number): number {
  return product ^ (product >>> 15);
}

const FIRST_PLACES = 64; // a power of two, as every later size
