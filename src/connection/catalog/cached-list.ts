import type { Clock } from '../../model/clock.js';
import { isSameJson } from '../../model/text/same-json.js';
import { forEachYielding } from './for-each-yielding.js';
import { HASH_LENGTH, hasher, hashOf, TextMarks } from './text-marks.js';

/** What a server lists. */
export type ListKind = 'tools' | 'resources' | 'templates' | 'prompts' | 'skills';

/** Their order is part of the format of the cache file. */
export const LIST_KINDS: readonly ListKind[] = ['tools', 'resources', 'templates', 'prompts', 'skills'];

/** One item of a list, as the server sent it. */
export interface ListItem {
  /** The item's key: the name of a tool or prompt, the URI of a resource or skill, the URI template of a template. */
  readonly name: string;
  readonly label: string | undefined;
  /** Eight flags that are needed without reading the definition: hints and marks of a tool, see fetch-list.ts. */
  readonly bits: number;
  readonly definition: object;
  /** The fields of the server's own item that the definition does not have: see own-item.ts. */
  readonly own: string;
}

/** The server's own items of a list, beside the definitions. A difference here makes no definition count as changed. */
export interface OwnItems {
  /** Hash of all own items together; empty when none are known. */
  readonly hash: string;
  /** One text for each definition, in the same order; undefined while the texts are on disk. */
  texts: readonly string[] | undefined;
}

/** A list without definitions, column by column: 10,000 items are fast to read from a file and small in memory. */
export interface ListColumns {
  readonly names: readonly string[];
  /** One for each item, '' for an item without a label. Read lazily: counting the items needs no labels. */
  readonly labels: () => readonly string[];
  /** Two hexadecimal digits for each item. */
  readonly bits: string;
  /** Hashes of all definitions, concatenated: `HASH_LENGTH` characters each. Read lazily: see `CachedList.hashAt`. */
  readonly hashes: () => string;
  /** Length of each definition as JSON, in bytes of UTF-8. Read lazily, with the first definition. */
  readonly lengths: () => readonly number[];
}

/** Which server version a list came from, and how long the list stays fresh. */
export interface ListFreshness {
  /** `versionKey` of the server. */
  readonly server: string;
  /** When the list came: wall-clock time, ms. */
  readonly at: number;
  readonly ttlMs: number;
  readonly warnings: readonly string[];
}

/** One list of a server: the names of its items, and their definitions unless those are on disk. */
export class CachedList {
  readonly columns: ListColumns;
  /** The definitions as JSON; undefined while they are on disk. */
  texts: readonly string[] | undefined;
  own: OwnItems;
  /** Of a list that has been fetched and not saved yet. */
  #marks: TextMarks | undefined;
  #positions: ReadonlyMap<string, number> | undefined;
  #summaries: readonly unknown[] | undefined;

  constructor(columns: ListColumns, texts: readonly string[] | undefined, own: OwnItems, marks?: TextMarks) {
    this.columns = columns;
    this.#marks = marks;
    this.texts = texts;
    this.own = own;
  }

  positionOf(name: string): number | undefined {
    this.#positions ??= new Map(this.columns.names.map((one, position) => [one, position]));
    return this.#positions.get(name);
  }

  hashAt(position: number): string {
    return (
      this.#marks?.hashAt(position) ?? this.columns.hashes().slice(position * HASH_LENGTH, (position + 1) * HASH_LENGTH)
    );
  }

  hashOf(name: string): string | undefined {
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

  /** The own items of this list in the order of `other`, which has the same items. */
  ownIn(other: CachedList): OwnItems {
    return this.hasNamesOf(other) ? this.own : toOwnItems(other.columns.names.map((name) => this.ownOf(name) ?? ''));
  }

  hasNamesOf({ columns: { names } }: CachedList): boolean {
    const own = this.columns.names;
    return names === own || (names.length === own.length && names.every((name, position) => name === own[position]));
  }

  /** Makes what the list is saved with, some per turn of the event loop. Afterwards `texts` may be dropped. */
  async complete(clock: Clock): Promise<void> {
    await this.#marks?.make(clock);
  }

  hashes(): Map<string, string> {
    return new Map(this.columns.names.map((name, position) => [name, this.hashAt(position)]));
  }

  /** Memoized by the first call: all items of a list are of one kind, so every caller passes the same `make`. */
  summaries<T>(make: (name: string, label: string | undefined, bits: number) => T): readonly T[] {
    this.#summaries ??= this.#summarise(make);
    return this.#summaries as readonly T[];
  }

  #summarise<T>(make: (name: string, label: string | undefined, bits: number) => T): readonly T[] {
    const { names } = this.columns;
    const labels = this.columns.labels();
    const bits = bitsOf(this.columns.bits);
    return names.map((name, at) => make(name, labels[at] || undefined, bits[at]!));
  }

  without(isUnwanted: (name: string) => boolean): CachedList {
    const { names, labels, bits, lengths } = this.columns;
    const kept = [...names.keys()].filter((position) => !isUnwanted(names[position]!));
    if (kept.length === names.length) return this;
    const pick = <T>(column: ArrayLike<T>): T[] => kept.map((position) => column[position]!);
    const columns: ListColumns = {
      names: pick(names),
      labels: () => pick(labels()),
      bits: kept.map((position) => bits.slice(2 * position, 2 * position + 2)).join(''),
      hashes: () => kept.map((position) => this.hashAt(position)).join(''),
      lengths: () => pick(lengths()),
    };
    const own = this.own.texts ? toOwnItems(pick(this.own.texts)) : this.own;
    return new CachedList(columns, this.texts && pick(this.texts), own);
  }
}

/** The flags of each item. Read natively: `parseInt` takes as long as all other work on an item. */
export function bitsOf(bits: string): Uint8Array {
  return Buffer.from(bits, 'hex');
}

export function emptyList(): CachedList {
  const columns: ListColumns = { names: [], labels: () => [], bits: '', hashes: () => '', lengths: () => [] };
  return new CachedList(columns, [], { hash: '', texts: [] });
}

function toOwnItems(texts: readonly string[], toHash = hashOf): OwnItems {
  return { hash: texts.length === 0 ? '' : toHash(texts.join('\n')), texts };
}

export interface Comparison {
  readonly clock: Clock;
  readonly before: CachedList;
  /** The definition that the cache holds, as JSON. */
  readonly textOf: (name: string) => string | undefined;
  /** There are lists of many servers to come: even the first definitions are hashed by `node:crypto`. */
  readonly isOneOfMany?: boolean | undefined;
}

/**
 * Makes a cached list of fetched items. A definition that differs only in the order of its fields keeps its old text:
 * some servers shuffle fields, and a model that has read the definition is spared a change.
 */
export async function toCached(rows: Iterable<ListItem>, comparison: Comparison): Promise<CachedList> {
  const { clock, before, textOf, isOneOfMany = false } = comparison;
  const names: string[] = [];
  const labels: string[] = [];
  const bits: string[] = [];
  const hashes: (string | undefined)[] = [];
  const texts: string[] = [];
  const owns: string[] = [];
  let room = OWN_LIMIT;
  const toHash = hasher(isOneOfMany);
  const isFirst = before.columns.names.length === 0;
  await forEachYielding(clock, rows, (row) => {
    let text = JSON.stringify(row.definition);
    const known = before.hashOf(row.name);
    let hash = isFirst ? undefined : toHash(text);
    const old = known === undefined || known === hash ? undefined : textOf(row.name);
    if (old !== undefined && isSameText(old, text)) {
      text = old;
      hash = known!;
    }
    names.push(row.name);
    labels.push(row.label ?? '');
    bits.push(row.bits.toString(16).padStart(2, '0'));
    hashes.push(hash);
    texts.push(text);
    const own = row.own.length <= room ? row.own : '';
    owns.push(own);
    room -= own.length;
  });
  const marks = new TextMarks(texts, { known: hashes, isOneOfMany });
  const columns = toColumns({ names, labels, bits: bits.join(''), marks });
  return new CachedList(columns, texts, toOwnItems(owns, hasher(isOneOfMany)), marks);
}

/** A separate function, because closures created inside `toCached` would keep `texts` alive as long as the list. */
function toColumns({ names, labels, bits, marks }: Fields): ListColumns {
  return { names, labels: () => labels, bits, hashes: () => marks.hashes(), lengths: () => marks.lengths() };
}

interface Fields extends Pick<ListColumns, 'names' | 'bits'> {
  readonly labels: readonly string[];
  readonly marks: TextMarks;
}

const OWN_LIMIT = 16_000_000; // characters per list; of items beyond it only the definitions are kept

function isSameText(one: string, other: string): boolean {
  try {
    return one.length === other.length && isSameJson(JSON.parse(one), JSON.parse(other));
  } catch {
    return false; // the cached text is not JSON; the fetched text is
  }
}
