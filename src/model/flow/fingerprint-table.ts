/** Numbers by fingerprint, of 32 bits without a sign, in a typed array: eight bytes a place, at most half of which are taken. */
export class FingerprintTable {
  /** A server that knew it could choose texts whose fingerprints all want the same place. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32) | 1;
  /** A fingerprint and its value at each place; value 0: the place is free. */
  #places = new Uint32Array(2 * FIRST_PLACES);
  /** Four bits a place. Most fingerprints of what is sent are not in the table, and these bits stay in a fast cache. */
  #bits = new Uint32Array(FIRST_PLACES / 8);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** 0: none. */
  get(print: number): number {
    const mixed = this.#mix(print);
    if (!this.#mayHave(mixed)) return 0;
    return this.#places[this.#placeOf(print, mixed) + 1]!;
  }

  /** `value`: more than 0. */
  set(print: number, value: number): void {
    const mixed = this.#mix(print);
    let place = this.#placeOf(print, mixed);
    if (this.#places[place + 1] === 0) {
      if (4 * (this.#size + 1) > this.#places.length) {
        this.#grow();
        place = this.#placeOf(print, mixed);
      }
      this.#size++;
      this.#places[place] = print;
      this.#mark(mixed);
    }
    this.#places[place + 1] = value;
  }

  /** The high bits of a product depend on all bits of its factors, the low bits do not. */
  #mix(print: number): number {
    const product = Math.imul(print, this.#seed);
    return product ^ (product >>> 15);
  }

  #placeOf(print: number, mixed: number): number {
    const places = this.#places;
    const last = places.length - 1;
    let place = (mixed << 1) & last;
    while (places[place + 1] !== 0 && places[place] !== print) place = (place + 2) & last;
    return place;
  }

  #mayHave(mixed: number): boolean {
    return (this.#bits[(mixed >>> 5) & (this.#bits.length - 1)]! & (1 << (mixed & 31))) !== 0;
  }

  #mark(mixed: number): void {
    this.#bits[(mixed >>> 5) & (this.#bits.length - 1)]! |= 1 << (mixed & 31);
  }

  #grow(): void {
    const before = this.#places;
    this.#places = new Uint32Array(2 * before.length);
    this.#bits = new Uint32Array(this.#places.length / 16);
    for (let at = 0; at < before.length; at += 2) {
      if (before[at + 1] === 0) continue;
      const print = before[at]!;
      const mixed = this.#mix(print);
      const place = this.#placeOf(print, mixed);
      this.#places[place] = print;
      this.#places[place + 1] = before[at + 1]!;
      this.#mark(mixed);
    }
  }
}

const FIRST_PLACES = 64; // a power of two, as every later size
