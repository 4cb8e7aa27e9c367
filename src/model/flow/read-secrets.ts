import { hashOfSymbols } from './fingerprints.js';

/** A credential that was found in a text. */
export interface FoundSecret {
  /** Indexes of symbols. */
  readonly from: number;
  readonly to: number;
  /** The number of its reading. */
  readonly reading: number;
}

/** The credentials that were read, as hashes. */
export class ReadSecrets {
  /** The lengths of the secrets whose first symbols have this hash. */
  readonly #lengths = new Map<number, Set<number>>();
  /** The number of the reading, by length and hash. */
  readonly #readings = new Map<number, Map<number, number>>();
  readonly #own = new Set<number>();
  /** Bits: looking a hash up in the map takes much longer. */
  #starts: Uint8Array | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns false for one that is known. */
  add({ start, length, hash }: SecretHash, reading: number): boolean {
    const readings = this.#readings.get(length) ?? new Map<number, number>();
    if (readings.has(hash)) return false;
    this.#readings.set(length, readings.set(hash, reading));
    this.#lengths.set(start, (this.#lengths.get(start) ?? new Set()).add(length));
    this.#size++;
    this.#mark(start);
    return true;
  }

  #mark(start: number): void {
    const isFull = this.#starts === undefined || (8 * this.#size > this.#starts.length && this.#starts.length < STARTS);
    if (isFull) {
      this.#starts = new Uint8Array(this.#starts ? 8 * this.#starts.length : FIRST_STARTS);
      for (const known of this.#lengths.keys()) this.#starts[known & (this.#starts.length - 1)] = 1;
    }
    this.#starts![start & (this.#starts!.length - 1)] = 1;
  }

  /** The user has written it: nobody's secret. */
  own({ hash }: SecretHash): void {
    this.#own.add(hash);
  }

  /** The secrets in a text. Time is linear in its length. */
  *find(symbols: Uint16Array): Generator<FoundSecret> {
    const starts = this.#starts;
    if (!starts) return;
    const last = starts.length - 1;
    for (let from = 0; from + SECRET_START <= symbols.length; from++) {
      const start = hashOfSymbols(symbols, from, from + SECRET_START);
      if (starts[start & last] === 0) continue;
      for (const length of this.#lengths.get(start) ?? []) {
        const to = from + length;
        if (to > symbols.length) continue;
        const hash = hashOfSymbols(symbols, from, to);
        const reading = this.#own.has(hash) ? undefined : this.#readings.get(length)?.get(hash);
        if (reading !== undefined) yield { from, to, reading };
      }
    }
  }
}

/** A secret, without what it says. */
export interface SecretHash {
  /** The hash of its first symbols. */
  readonly start: number;
  /** In symbols. */
  readonly length: number;
  readonly hash: number;
}

/** The hashes of a secret; a long one, such as a private key, is known by its parts. */
export function* secretHashes(symbols: Uint16Array): Generator<SecretHash> {
  const isLong = symbols.length > 2 * SECRET_PART;
  const step = isLong ? SECRET_PART : symbols.length;
  for (let from = 0; from + SECRET_START <= symbols.length; from += step) {
    const to = Math.min(from + step, symbols.length);
    if (isLong && to - from < SECRET_PART) break;
    yield {
      start: hashOfSymbols(symbols, from, from + SECRET_START),
      length: to - from,
      hash: hashOfSymbols(symbols, from, to),
    };
  }
  // One that lost its first or last letters is still one.
  if (isLong || symbols.length <= SECRET_WINDOW) return;
  for (let from = 0; from + SECRET_WINDOW <= symbols.length; from += WINDOW_STEP) {
    yield {
      start: hashOfSymbols(symbols, from, from + SECRET_START),
      length: SECRET_WINDOW,
      hash: hashOfSymbols(symbols, from, from + SECRET_WINDOW),
    };
  }
}

/** How many symbols of a secret are looked up first; a shorter one would be found in ordinary words. */
export const SECRET_START = 8;
const SECRET_PART = 24; // no secret has more than twice as many: a text of starts takes 41 hashes for each symbol
const SECRET_WINDOW = 16; // symbols
const WINDOW_STEP = 4;
const FIRST_STARTS = 1_024; // powers of two
const STARTS = 65_536;
