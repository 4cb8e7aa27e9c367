import { digest, digestMany } from '../../edge/files/digest.js';
import type { Clock } from '../../model/clock.js';
import { isSameJson } from '../../model/text/same-json.js';
import { forEachYielding } from './for-each-yielding.js';

export type ListKind = 'tools' | 'resources' | 'templates' | 'prompts';

export const LIST_KINDS: readonly ListKind[] = ['tools', 'resources', 'templates', 'prompts'];

/** One item of a list, as it came. */
export interface ListItem {
  /** What it is called by: a name, an address. */
  readonly name: string;
  readonly label: string | undefined;
  /** What there is to know of it without its definition, if it fits into eight bits. */
  readonly bits: number;
  readonly definition: object;
  /** What the server's own item has beside the definition: see own-item.ts. */
  readonly own: string;
}

/** The server's own items of a list, beside the definitions: no part of what makes a definition another one. */
export interface OwnItems {
  /** Of all of them; empty where nothing is known of them. */
  readonly check: string;
  /** One for each definition, in the same order; undefined while they are on disk. */
  texts: readonly string[] | undefined;
}

/** What is known of all items, field by field: ten thousand are read from a file in no time, and take little room. */
export interface ListColumns {
  readonly names: readonly string[];
  /** Empty where there is none; asked for when somebody wants more than to know how many there are. */
  readonly labels: () => readonly string[];
  /** Two hexadecimal digits for each. */
  readonly bits: string;
  /** Of each definition, one after the other. */
  readonly checks: string;
  /** Of each definition, as JSON in UTF-8; asked for when a definition is. */
  readonly lengths: () => readonly number[];
}

/** Where a list comes from, and how long that holds. */
export interface ListFreshness {
  /** Which version of which server. */
  readonly server: string;
  /** When it came, by the clock on the wall. */
  readonly at: number;
  readonly ttlMs: number;
  readonly warnings: readonly string[];
}

/** A list of a server: what its items are called, and their definitions, unless those are on disk. */
export class CachedList {
  readonly columns: ListColumns;
  /** The definitions as JSON; undefined while they are on disk. */
  texts: readonly string[] | undefined;
  own: OwnItems;
  #positions: ReadonlyMap<string, number> | undefined;
  #summaries: readonly unknown[] | undefined;

  constructor(columns: ListColumns, texts: readonly string[] | undefined, own: OwnItems) {
    this.columns = columns;
    this.texts = texts;
    this.own = own;
  }

  positionOf(name: string): number | undefined {
    this.#positions ??= new Map(this.columns.names.map((one, position) => [one, position]));
    return this.#positions.get(name);
  }

  hashAt(position: number): string {
    return this.columns.checks.slice(position * HASH_LENGTH, (position + 1) * HASH_LENGTH);
  }

  checkOf(name: string): string | undefined {
    const position = this.positionOf(name);
    return position === undefined ? undefined : this.hashAt(position);
  }

  textOf(name: string): string | undefined {
    const position = this.texts && this.positionOf(name);
    return position === undefined ? undefined : this.texts?.[position];
  }

  ownOf(name: string): string | undefined {
    const position = this.own.texts && this.positionOf(name);
    return position === undefined ? undefined : this.own.texts?.[position];
  }

  /** What the server says of the same items, for a list that may have them in another order. */
  ownIn(other: CachedList): OwnItems {
    return this.hasNamesOf(other) ? this.own : toOwnItems(other.columns.names.map((name) => this.ownOf(name) ?? ''));
  }

  /** Whether another list has items of the same names, in the same order. */
  hasNamesOf({ columns: { names } }: CachedList): boolean {
    const own = this.columns.names;
    return names === own || (names.length === own.length && names.every((name, position) => name === own[position]));
  }

  checks(): Map<string, string> {
    return new Map(this.columns.names.map((name, position) => [name, this.hashAt(position)]));
  }

  /** Made once. A list is of one kind, so that there is only one way to make them. */
  summaries<T>(make: (name: string, label: string | undefined, bits: number) => T): readonly T[] {
    this.#summaries ??= this.#summarise(make);
    return this.#summaries as readonly T[];
  }

  #summarise<T>(make: (name: string, label: string | undefined, bits: number) => T): readonly T[] {
    const { names, bits } = this.columns;
    const labels = this.columns.labels();
    return names.map((name, at) => make(name, labels[at] || undefined, bitsAt(bits, at)));
  }

  /** Only those that are wanted. */
  without(isUnwanted: (name: string) => boolean): CachedList {
    const { names, labels, bits, lengths } = this.columns;
    const kept = [...names.keys()].filter((position) => !isUnwanted(names[position]!));
    if (kept.length === names.length) return this;
    const pick = <T>(column: ArrayLike<T>): T[] => kept.map((position) => column[position]!);
    const columns: ListColumns = {
      names: pick(names),
      labels: () => pick(labels()),
      bits: kept.map((position) => bits.slice(2 * position, 2 * position + 2)).join(''),
      checks: kept.map((position) => this.hashAt(position)).join(''),
      lengths: () => pick(lengths()),
    };
    const own = this.own.texts ? toOwnItems(pick(this.own.texts)) : this.own;
    return new CachedList(columns, this.texts && pick(this.texts), own);
  }
}

/** Read by the codes of its digits: parseInt takes as long as all the rest. */
export function bitsAt(bits: string, position: number): number {
  return (digitAt(bits, 2 * position) << 4) | digitAt(bits, 2 * position + 1);
}

function digitAt(digits: string, position: number): number {
  const code = digits.charCodeAt(position);
  return code < LETTER_A ? code - ZERO : code - LETTER_A + 10;
}

const ZERO = 48;
const LETTER_A = 97;

export function emptyList(): CachedList {
  const columns: ListColumns = { names: [], labels: () => [], bits: '', checks: '', lengths: () => [] };
  return new CachedList(columns, [], { check: '', texts: [] });
}

function toOwnItems(texts: readonly string[]): OwnItems {
  return { check: texts.length === 0 ? '' : hashOf(texts.join('\n')), texts };
}

export interface Comparison {
  readonly clock: Clock;
  readonly before: CachedList;
  /** The definition that was known so far. */
  readonly textOf: (name: string) => string | undefined;
}

/**
 * Writes down what came. A definition that only has its fields in another order is still the old one, word for word: some
 * servers shuffle them, and whoever has read it is spared a change.
 */
export async function toCached(rows: Iterable<ListItem>, comparison: Comparison): Promise<CachedList> {
  const { clock, before, textOf } = comparison;
  const names: string[] = [];
  const labels: string[] = [];
  const bits: string[] = [];
  const lengths: number[] = [];
  const checks: string[] = [];
  const texts: string[] = [];
  const owns: string[] = [];
  let room = OWN_LIMIT;
  await forEachYielding(clock, rows, (row) => {
    let text = JSON.stringify(row.definition);
    let check = names.length < FEW ? hashOf(text) : toCheck(digestMany(text));
    const known = before.checkOf(row.name);
    const old = known === undefined || known === check ? undefined : textOf(row.name);
    if (old !== undefined && isSameText(old, text)) {
      text = old;
      check = known!;
    }
    names.push(row.name);
    labels.push(row.label ?? '');
    bits.push(row.bits.toString(16).padStart(2, '0'));
    lengths.push(Buffer.byteLength(text));
    checks.push(check);
    texts.push(text);
    const own = row.own.length <= room ? row.own : '';
    owns.push(own);
    room -= own.length;
  });
  const columns = toColumns({ names, labels, bits: bits.join(''), checks: checks.join(''), lengths });
  return new CachedList(columns, texts, toOwnItems(owns));
}

/** By itself: functions that are made where the texts are would keep those alive for as long as the list. */
function toColumns({ names, labels, bits, checks, lengths }: Fields): ListColumns {
  return { names, labels: () => labels, bits, checks, lengths: () => lengths };
}

interface Fields extends Pick<ListColumns, 'names' | 'bits' | 'checks'> {
  readonly labels: readonly string[];
  readonly lengths: readonly number[];
}

/** Short, because whoever finds two definitions with the same check gains nothing: the one that was known stays. */
export function hashOf(text: string): string {
  return toCheck(digest(text));
}

function toCheck(hex: string): string {
  return hex.slice(0, HASH_LENGTH);
}

const FEW = 50;
const OWN_LIMIT = 16_000_000; // characters of one list; of items beyond it only the definitions are kept

export const HASH_LENGTH = 16;

function isSameText(one: string, other: string): boolean {
  try {
    return one.length === other.length && isSameJson(JSON.parse(one), JSON.parse(other));
  } catch {
    return false; // what was in the file is no JSON; what came is
  }
}
