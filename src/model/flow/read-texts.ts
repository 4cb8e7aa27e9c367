import { FingerprintTable } from './fingerprint-table.js';
import { hashOfSymbols, keptFingerprints } from './fingerprints.js';
import { flowNameOf, type FlowSource } from './flow-finding.js';
import type { FlowRecord } from './flow-record.js';
import { namePieces } from './name-pieces.js';
import { secretValues } from './secret-values.js';
import type { Symbols } from './symbols.js';

/** One result that was read. */
export interface Reading {
  readonly source: FlowSource;
  /** From a server that is not the user's, or from a tool that does not state that it is closed. */
  readonly isOutside: boolean;
  /** From a server that is not the user's. */
  readonly isForeign: boolean;
  /** The turn of the model in which it was read. */
  readonly turn: number;
}

/** A credential that was read. */
export interface ReadSecret {
  /** In symbols. */
  readonly length: number;
  readonly hash: number;
  /** The number of its reading. */
  readonly reading: number;
}

/**
 * What a conversation has read: fingerprints of the texts and where each was read first, without the texts. Readings are
 * numbered from 1; `OWN` stands for the words of the user and of the model.
 */
export class ReadTexts {
  readonly #symbols: Symbols;
  readonly #table = new FingerprintTable();
  readonly #readings: Reading[] = [];
  readonly #names = new Set<number>();
  /** By the hash of their first symbols. */
  readonly #secrets = new Map<number, ReadSecret[]>();
  readonly #ownSecrets = new Set<number>();
  #secretCount = 0;
  /** The number of the first reading from outside; 0: none yet. */
  #firstOutside = 0;
  #fault: string | undefined;

  constructor(symbols: Symbols) {
    this.#symbols = symbols;
  }

  /** Why not all that was read can be compared any more. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** The first text from outside. */
  get firstOutside(): Reading | undefined {
    return this.#readings[this.#firstOutside - 1];
  }

  get fingerprintCount(): number {
    return this.#table.size;
  }

  /** The last text from outside that came from anywhere but here. */
  outsideBut(name: string): Reading | undefined {
    return this.#readings.findLast(({ isOutside, source }) => isOutside && flowNameOf(source) !== name);
  }

  /** Whether the text of a fingerprint was read, and the number of its reading; 0 for others. */
  readingOf(print: number): number {
    const number = this.#table.get(print);
    return number === OWN ? 0 : number;
  }

  reading(number: number): Reading {
    return this.#readings[number - 1]!;
  }

  isName(hash: number): boolean {
    return this.#names.has(hash);
  }

  get hasSecrets(): boolean {
    return this.#secrets.size > 0;
  }

  /** The secrets that begin with symbols of this hash. */
  secretsFrom(start: number): readonly ReadSecret[] | undefined {
    return this.#secrets.get(start)?.filter(({ hash }) => !this.#ownSecrets.has(hash));
  }

  /** Takes over what was read. Returns what has to be kept of it. */
  add(reading: Reading, texts: readonly string[]): FlowRecord {
    const number = this.#begin(reading);
    const prints: number[] = [];
    const names: number[] = [];
    const secrets: number[] = [];
    for (const text of texts) {
      if (text.length > TEXT_LENGTH) {
        this.fail(`a text of ${text.length} characters was read`);
        continue;
      }
      const spelled = this.#symbols.of(text);
      for (const print of keptFingerprints(spelled.symbols)) if (this.#take(print, number)) prints.push(print);
      for (const { hash } of namePieces(text, spelled)) if (this.#takeName(hash)) names.push(hash);
      for (const value of secretValues(text)) {
        for (const [start, length, hash] of this.#toSecrets(value)) {
          if (this.#takeSecret(start, { length, hash, reading: number })) secrets.push(start, length, hash);
        }
      }
    }
    return { ...reading, prints, names, secrets };
  }

  /** Words that the user wrote: they are nobody's secret, and may go anywhere, also where they were read before. */
  addTyped(text: string): FlowRecord {
    const prints = [...keptFingerprints(this.#symbols.of(text.slice(0, TEXT_LENGTH)).symbols)];
    const secrets = secretValues(text).flatMap((value) => [...this.#toSecrets(value)].flat());
    this.#own(prints, secrets);
    return { isTyped: true, prints, names: [], secrets };
  }

  /** Words of the model, unless they repeat what was read. */
  addWritten(text: string): void {
    for (const print of keptFingerprints(this.#symbols.of(text).symbols)) {
      if (this.#table.get(print) === 0) this.#set(print, OWN);
    }
  }

  restore(record: FlowRecord): void {
    const { prints, names, secrets } = record;
    if ('isTyped' in record) return this.#own(prints, secrets);
    const number = this.#begin(record);
    for (const print of prints) this.#take(print, number);
    for (const name of names) this.#takeName(name);
    for (let at = 0; at + 2 < secrets.length; at += 3) {
      this.#takeSecret(secrets[at]!, { length: secrets[at + 1]!, hash: secrets[at + 2]!, reading: number });
    }
  }

  #begin({ source, isOutside, isForeign, turn }: Reading): number {
    const number = this.#readings.push({ source, isOutside, isForeign, turn });
    if (isOutside && this.#firstOutside === 0) this.#firstOutside = number;
    if (number > READINGS) this.fail(`more than ${READINGS} results were read`);
    return number;
  }

  #own(prints: readonly number[], secrets: readonly number[]): void {
    for (const print of prints) this.#set(print, OWN);
    for (let at = 0; at + 2 < secrets.length; at += 3) this.#ownSecrets.add(secrets[at + 2]!);
  }

  /** The first that had a text counts as its source. */
  #take(print: number, number: number): boolean {
    const isNew = this.#table.get(print) === 0;
    if (isNew) this.#set(print, number);
    return isNew;
  }

  #set(print: number, number: number): void {
    if (this.#table.size >= FINGERPRINTS && this.#table.get(print) === 0) {
      this.fail(`about ${Math.round((FINGERPRINTS * 4.5) / 1e6)} million letters were read`);
    } else this.#table.set(print, number);
  }

  #takeName(hash: number): boolean {
    // Beyond the bound a name counts as a copy, which only means a question more.
    if (this.#names.has(hash) || this.#names.size >= NAMES) return false;
    this.#names.add(hash);
    return true;
  }

  #takeSecret(start: number, secret: ReadSecret): boolean {
    const known = this.#secrets.get(start) ?? [];
    if (known.some(({ hash, length }) => hash === secret.hash && length === secret.length)) return false;
    if (++this.#secretCount > SECRETS) this.fail(`more than ${SECRETS} secrets were read`);
    else this.#secrets.set(start, [...known, secret]);
    return true;
  }

  /** Hash of the first symbols, length, hash of all. A long secret, such as a private key, is known by its parts. */
  *#toSecrets(value: string): Generator<readonly [number, number, number]> {
    if (value.length > TEXT_LENGTH) return;
    const { symbols } = this.#symbols.of(value);
    const isLong = symbols.length > 2 * SECRET_PART;
    const step = isLong ? SECRET_PART : symbols.length;
    for (let from = 0; from + SECRET_START <= symbols.length; from += step) {
      const to = Math.min(from + step, symbols.length);
      if (isLong && to - from < SECRET_PART) break;
      yield [hashOfSymbols(symbols, from, from + SECRET_START), to - from, hashOfSymbols(symbols, from, to)];
    }
  }

  /** From now on not all that was read can be compared. */
  fail(reason: string): void {
    this.#fault ??= reason;
  }
}

/** How many symbols of a secret are looked up first; a shorter one would be found in ordinary words. */
export const SECRET_START = 8;
const SECRET_PART = 24;
const OWN = 0xff_ff_ff_ff;
const FINGERPRINTS = 2_000_000; // of about 9 million letters, in 32 MB
const TEXT_LENGTH = 4_000_000; // what a model is shown is cut far below
const READINGS = 1_000_000;
const NAMES = 100_000;
const SECRETS = 10_000;
