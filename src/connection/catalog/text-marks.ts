import { digest, digestMany } from '../../edge/files/digest.js';
import type { Clock } from '../../model/clock.js';
import { forEachYielding } from './for-each-yielding.js';

/**
 * The hashes and lengths of a list's definitions, made when they are first asked for: a list that nothing is compared
 * with needs none before it is saved.
 */
export class TextMarks {
  /** Undefined once all marks are made. */
  #texts: readonly string[] | undefined;
  readonly #hashes: (string | undefined)[];
  #joined: string | undefined;
  #lengths: readonly number[] | undefined;

  /** `known`: hashes that are known already. */
  constructor(texts: readonly string[], known: readonly (string | undefined)[]) {
    this.#texts = texts;
    this.#hashes = [...known];
  }

  hashAt(position: number): string {
    if (this.#joined !== undefined) return this.#joined.slice(position * HASH_LENGTH, (position + 1) * HASH_LENGTH);
    return (this.#hashes[position] ??= hashOf(this.#texts![position]!));
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
      this.#hashes[at] ??= hashAmong(text, at);
      lengths.push(Buffer.byteLength(text));
    });
    this.#lengths = lengths;
    this.hashes();
    this.#texts = undefined;
  }

  #join(): string {
    const joined = this.#texts!.map((text, at) => this.#hashes[at] ?? hashAmong(text, at)).join('');
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

/** Like `hashOf`, for the text at this place of a list, which may have thousands. */
export function hashAmong(text: string, at: number): string {
  return at < FEW ? hashOf(text) : digestMany(text).slice(0, HASH_LENGTH);
}

const FEW = 50;

export const HASH_LENGTH = 16;
