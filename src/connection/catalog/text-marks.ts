import { digest, digestMany } from '../../edge/files/digest.js';
import type { Clock } from '../../model/clock.js';
import { forEachYielding } from './for-each-yielding.js';

export interface KnownMarks {
  /** Hashes that are known already. */
  readonly known?: readonly (string | undefined)[];
  /** There are lists of many servers to come. */
  readonly isOneOfMany?: boolean;
}

/**
 * The hashes and lengths of a list's definitions, made when they are first asked for: a list that nothing is compared
 * with needs none before it is saved.
 */
export class TextMarks {
  /** Undefined once all marks are made. */
  #texts: readonly string[] | undefined;
  readonly #hashes: (string | undefined)[];
  readonly #toHash: (text: string) => string;
  #joined: string | undefined;
  #lengths: readonly number[] | undefined;

  constructor(texts: readonly string[], { known = [], isOneOfMany }: KnownMarks = {}) {
    this.#texts = texts;
    this.#hashes = [...known];
    this.#toHash = hasher(isOneOfMany);
  }

  hashAt(position: number): string {
    if (this.#joined !== undefined) return this.#joined.slice(position * HASH_LENGTH, (position + 1) * HASH_LENGTH);
    return (this.#hashes[position] ??= this.#toHash(this.#texts![position]!));
  }

  /** All hashes, concatenated. */
  hashes(): string {
    return (this.#joined ??= this.#join());
  }

  /** Length of each definition in bytes of UTF-8. */
  lengths(): readonly number[] {
    return (this.#lengths ??= this.#measure());
  }

  /** Makes all marks, some per turn of the event loop. Afterwards the texts are not needed any more. */
  async make(clock: Clock): Promise<void> {
    const texts = this.#texts;
    if (!texts) return;
    const lengths: number[] = [];
    await forEachYielding(clock, texts.entries(), ([at, text]) => {
      this.#hashes[at] ??= this.#toHash(text);
      lengths.push(Buffer.byteLength(text));
    });
    this.#lengths = lengths;
    this.hashes();
    this.#texts = undefined;
  }

  #join(): string {
    const joined = this.#texts!.map((text, at) => this.#hashes[at] ?? this.#toHash(text)).join('');
    this.#hashes.length = 0;
    return joined;
  }

  #measure(): readonly number[] {
    return this.#texts!.map((text) => Buffer.byteLength(text));
  }
}

/** 64 bits of SHA-256. A collision gains a server nothing: the definition that is known already stays. */
export function hashOf(text: string): string {
  return digest(text).slice(0, HASH_LENGTH);
}

/**
 * `hashOf` for text after text. After a little text by node:crypto, which takes longer to load than a little text takes
 * to hash without it; at once where there are lists of many servers to come.
 */
export function hasher(isOneOfMany = false): (text: string) => string {
  let hashed = isOneOfMany ? LITTLE : 0;
  return (text) => {
    hashed += text.length;
    return hashed < LITTLE ? hashOf(text) : digestMany(text).slice(0, HASH_LENGTH);
  };
}

const LITTLE = 1_000; // characters of all texts together

export const HASH_LENGTH = 16;
