import { FingerprintTable } from './fingerprint-table.js';
import { type Fingerprints, hashOfSymbols, keptFingerprints } from './fingerprints.js';
import { flowNameOf, type FlowSource } from './flow-finding.js';
import type { FlowRecord } from './flow-record.js';
import { namesInText } from './name-pieces.js';
import { plainForm } from './plain-form.js';
import { type FoundSecret, ReadSecrets, type SecretHash, secretHashes } from './read-secrets.js';
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

/**
 * What a conversation has read: fingerprints of the texts and where each was read first, without the texts. Readings are
 * numbered from 1; `OWN` stands for the words of the user and of the model.
 */
export class ReadTexts {
  readonly #symbols: Symbols;
  readonly #table = new FingerprintTable();
  readonly #readings: Reading[] = [];
  /** The place of each reading, as `hashOfPlace` gives it. */
  readonly #places: number[] = [];
  /** Names with the readings that they stand in. */
  readonly #names = new FingerprintTable();
  readonly #secrets = new ReadSecrets();
  /** Fingerprints of texts that were read from a second place, together with the name of that place. */
  #alsoRead: FingerprintTable | undefined;
  /** The number of the first reading from outside; 0: none yet. */
  #firstOutside = 0;
  #fault: string | undefined;
  #compared: { readonly text: string; readonly prints: Uint32Array } | undefined;

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
    return this.#table.size + (this.#alsoRead?.size ?? 0);
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

  /** Whether a piece of a path, a URL or an id stands in a reading. */
  isName(hash: number, reading: number): boolean {
    return this.#names.get(nameIn(hash, reading)) !== 0;
  }

  /** Whether the text of a fingerprint was read from a place of this name, though another had it first. */
  isAlsoFrom(print: number, name: number): boolean {
    return this.#alsoRead !== undefined && this.#alsoRead.get(printAt(print, name)) !== 0;
  }

  get hasSecrets(): boolean {
    return this.#secrets.size > 0;
  }

  /** The secrets in a text that the user has not written. */
  secretsIn(symbols: Uint16Array): Iterable<FoundSecret> {
    return this.#secrets.find(symbols);
  }

  /** Takes over what was read. Returns what has to be kept of it. */
  add(reading: Reading, texts: readonly string[]): FlowRecord {
    const { number, name } = this.#begin(reading);
    const prints: number[] = [];
    const names: number[] = [];
    const secrets: number[] = [];
    for (const text of texts) {
      if (text.length > TEXT_LENGTH) {
        this.fail(`a text of ${text.length} characters was read`);
        continue;
      }
      const spelled = this.#symbols.of(text);
      const plain = plainForm(text);
      for (const symbols of [spelled.symbols, ...(plain === undefined ? [] : [this.#symbols.of(plain).symbols])]) {
        for (const print of keptFingerprints(symbols).prints) if (this.#take(print, number, name)) prints.push(print);
      }
      for (const { hash } of namesInText(text, spelled)) if (this.#takeName(hash, number)) names.push(hash);
      for (const value of secretValues(text)) {
        if (this.#fault !== undefined) break; // all calls are asked about
        for (const secret of this.#toSecrets(value)) {
          if (this.#takeSecret(secret, number)) secrets.push(...toNumbers(secret));
        }
      }
    }
    return { ...reading, prints, names, secrets };
  }

  /** Words that the user wrote: they are nobody's secret, and may go anywhere, also where they were read before. */
  addTyped(text: string): FlowRecord {
    const prints = [...keptFingerprints(this.#symbols.of(text.slice(0, TEXT_LENGTH)).symbols).prints];
    const secrets = secretValues(text).flatMap((value) => [...this.#toSecrets(value)].flatMap(toNumbers));
    this.#own(prints, secrets);
    return { isTyped: true, prints, names: [], secrets };
  }

  /** The fingerprints of a text that is compared; those of the last long one are kept until it is sent. */
  printsOf(text: string, symbols: Uint16Array): Fingerprints {
    const found = keptFingerprints(symbols);
    if (text.length >= LONG) this.#compared = { text, prints: found.prints };
    return found;
  }

  /** Words of the model, unless they repeat what was read. */
  addWritten(text: string): void {
    const { prints } =
      this.#compared?.text === text ? this.#compared : this.printsOf(text, this.#symbols.of(text).symbols);
    this.#compared = undefined;
    for (const print of prints) if (this.#table.get(print) === 0) this.#set(print, OWN);
  }

  restore(record: FlowRecord): void {
    const { prints, names, secrets } = record;
    if ('isTyped' in record) return this.#own(prints, secrets);
    const { number, name } = this.#begin(record);
    for (const print of prints) this.#take(print, number, name);
    for (const hash of names) this.#takeName(hash, number);
    for (const secret of toSecretHashes(secrets)) this.#takeSecret(secret, number);
  }

  #begin({ source, isOutside, isForeign, turn }: Reading): { readonly number: number; readonly name: number } {
    const number = this.#readings.push({ source, isOutside, isForeign, turn });
    if (isOutside && this.#firstOutside === 0) this.#firstOutside = number;
    if (number > READINGS) this.fail(`more than ${READINGS} results were read`);
    const name = hashOfPlace({ source, isForeign });
    this.#places.push(name);
    return { number, name };
  }

  #own(prints: readonly number[], secrets: readonly number[]): void {
    for (const print of prints) this.#set(print, OWN);
    for (const secret of toSecretHashes(secrets)) this.#secrets.own(secret);
  }

  /** The first that had a text counts as its source; what another has, too, may go back there. */
  #take(print: number, number: number, name: number): boolean {
    const before = this.#table.get(print);
    if (before === 0) {
      this.#set(print, number);
      return true;
    }
    if (before === OWN || before === number) return false;
    if (this.#places[before - 1] === name || this.isAlsoFrom(print, name)) return false;
    if (this.fingerprintCount < FINGERPRINTS) (this.#alsoRead ??= new FingerprintTable()).set(printAt(print, name), 1);
    return true;
  }

  #set(print: number, number: number): void {
    if (this.fingerprintCount >= FINGERPRINTS && this.#table.get(print) === 0) {
      this.fail(`about ${Math.round((FINGERPRINTS * 4.5) / 1e6)} million letters were read`);
    } else this.#table.set(print, number);
  }

  #takeName(hash: number, number: number): boolean {
    const name = nameIn(hash, number);
    // Beyond the bound a name counts as a copy, which only means a question more.
    if (this.#names.get(name) !== 0 || this.#names.size >= NAMES) return false;
    this.#names.set(name, 1);
    return true;
  }

  #takeSecret(secret: SecretHash, number: number): boolean {
    if (this.#secrets.size < SECRETS) return this.#secrets.add(secret, number);
    this.fail(`more than ${SECRETS} secrets were read`);
    return false;
  }

  #toSecrets(value: string): Iterable<SecretHash> {
    return value.length > TEXT_LENGTH ? [] : secretHashes(this.#symbols.of(value).symbols);
  }

  /** From now on not all that was read can be compared. */
  fail(reason: string): void {
    this.#fault ??= reason;
  }
}

/** A place as a number, which is combined with fingerprints. A server of a repository is another one than the user's. */
export function hashOfPlace({ source, isForeign }: Pick<Reading, 'source' | 'isForeign'>): number {
  const name = `${isForeign ? '*' : ''}${flowNameOf(source)}`;
  return hashOfSymbols(Uint16Array.from(name, (letter) => letter.charCodeAt(0)));
}

/** A fingerprint of a place. Of two numbers `^` makes one with a sign, which a table does not find again. */
function printAt(print: number, name: number): number {
  return (print ^ name) >>> 0;
}

/** A page that lists words as names makes none of the words of a note. */
function nameIn(hash: number, reading: number): number {
  return (hash ^ Math.imul(reading, 0x9e_37_79_b1)) >>> 0;
}

function toNumbers({ start, length, hash }: SecretHash): readonly number[] {
  return [start, length, hash];
}

function* toSecretHashes(numbers: readonly number[]): Generator<SecretHash> {
  for (let at = 0; at + 2 < numbers.length; at += 3) {
    yield { start: numbers[at]!, length: numbers[at + 1]!, hash: numbers[at + 2]! };
  }
}

const LONG = 1_000; // characters
const OWN = 0xff_ff_ff_ff;
const FINGERPRINTS = 2_000_000; // of about 9 million letters, in 32 MB
const TEXT_LENGTH = 4_000_000; // what a model is shown is cut far below
const READINGS = 1_000_000;
const NAMES = 500_000; // in 8 MB
const SECRETS = 30_000;
