import { isObject } from '../../base/json.js';
import { Lru } from '../../base/lru.js';
import { type Difference, difference } from '../../model/view/catalog-difference.js';
import type { Clock } from '../../model/clock.js';
import { isSameJson } from '../../model/text/same-json.js';
import { type CatalogFacts, type DatedList, versionKey } from './catalog-index.js';
import type { CachedCatalogFile } from './catalog-files.js';
import { emptyList, type CachedList, type ListKind, type ListFreshness } from './cached-list.js';
import type { ServerDefinition } from '../../model/server-definition.js';
import { fromOwnText, keyOf } from '../own-item.js';
import { isExcluded, type ToolFilter } from './tool-definition.js';
import { SaveDebounce } from './save-debounce.js';

export interface CatalogCacheOptions {
  readonly clock: Clock;
  readonly wall: () => number;
  readonly catalogFile: CachedCatalogFile | undefined;
}

/** Reads a definition of one kind. */
export interface DefinitionReader<T> {
  /** The field that an item is called by. */
  readonly key: string;
  readonly read: (item: { readonly [field: string]: unknown }) => T | undefined;
}

/** What is known of a server: in memory the names, on disk, or as long as there is no disk in memory, the definitions. */
export class CatalogCache {
  readonly #options: CatalogCacheOptions;
  readonly #lists = new Map<ListKind, DatedList>();
  /** Lists whose definitions are no longer where they were. */
  readonly #lost = new Set<ListKind>();
  readonly #parsed = new Lru<unknown>({ count: PARSED_COUNT, size: PARSED_SIZE });
  readonly #saves: SaveDebounce;
  readonly #none = emptyList();
  #facts: CatalogFacts | undefined;
  #savedAt: number | undefined;

  constructor(options: CatalogCacheOptions) {
    this.#options = options;
    this.#saves = new SaveDebounce({ clock: options.clock, save: () => this.#save() });
  }

  get facts(): CatalogFacts | undefined {
    return this.#facts;
  }

  list(kind: ListKind): CachedList {
    return this.#lists.get(kind)?.list ?? this.#none;
  }

  origin(kind: ListKind): ListFreshness | undefined {
    return this.#lists.get(kind)?.origin;
  }

  /** What the last run knew. False when that is nothing. */
  load(filter: ToolFilter | undefined): boolean {
    const stored = this.#options.catalogFile?.get();
    if (!stored) return false;
    for (const [kind, { list, origin }] of stored.lists) {
      const isFiltered = kind === 'tools' && (filter?.includeTools ?? filter?.excludeTools) !== undefined;
      const wanted = isFiltered ? list.without((name) => isExcluded(name, filter)) : list;
      this.#lists.set(kind, { list: wanted, origin });
    }
    this.#facts = stored.facts;
    this.#savedAt = stored.at;
    return true;
  }

  learn(facts: CatalogFacts): void {
    const isKnown = this.#facts !== undefined && isSameJson(toJson(this.#facts), toJson(facts));
    this.#facts = facts;
    if (!isKnown) this.#saves.ask();
  }

  /** Puts a list in place of what was known, and tells what is different. */
  put(kind: ListKind, list: CachedList, origin: ListFreshness): Difference | undefined {
    const before = this.#lists.get(kind);
    const change = difference(before?.list.checks() ?? new Map(), list.checks());
    const isKept = before !== undefined && !change && !this.#lost.has(kind);
    const own = isKept ? list.ownIn(before.list) : list.own;
    const isSameOwn = before?.list.own.check === own.check;
    // Another icon, or a `_meta` that is another one each time, makes no other definition of it: nobody is told.
    if (isKept && !isSameOwn) before.list.own = own;
    this.#lost.delete(kind);
    // A session may have answered from what it keeps: then it is as old as before.
    const left = before && !change && isFresh(before.origin, origin) ? timeLeft(before.origin, origin.at) : Infinity;
    const ttlMs = Math.min(origin.ttlMs, left);
    this.#lists.set(kind, { list: isKept ? before.list : list, origin: { ...origin, ttlMs } });
    const isSameOrigin =
      before?.origin.server === origin.server && isSameJson(before.origin.warnings, origin.warnings) && ttlMs === 0;
    if (!isKept || !isSameOwn || !isSameOrigin) this.#saves.ask();
    return change;
  }

  /** Whether the server still calls a list fresh that came from this version of it. */
  isFresh(kind: ListKind): boolean {
    const origin = this.origin(kind);
    if (!origin || !this.#facts) return false;
    return isFresh(origin, { server: versionKey(this.#facts), at: this.#options.wall() });
  }

  /** What is in use must not look forgotten. */
  renew(): void {
    const age = this.#savedAt === undefined ? 0 : this.#options.wall() - this.#savedAt;
    if (age < 0 || age > RENEWED_AFTER) this.#saves.ask();
  }

  /**
   * The whole definition; undefined where there is none, or where it is lost. Whoever can ask the server does not want what
   * another program has found out since.
   */
  definition<T>(kind: ListKind, name: string, reader: DefinitionReader<T>, isLive: boolean): T | undefined {
    const list = this.list(kind);
    const check = list.checkOf(name);
    if (check === undefined) return undefined;
    const place = `${kind} ${check} ${name}`;
    const known = this.#parsed.get(place);
    if (known !== undefined) return known as T;
    const text = list.textOf(name) ?? this.#stored(kind, name, isLive ? check : undefined);
    const value = text === undefined ? undefined : parse(text, name, reader);
    if (value === undefined) this.#lost.add(kind);
    else this.#parsed.set(place, value, text!.length);
    return value;
  }

  /** All of these, in one look and without being kept; those that are lost are left out. */
  definitions<T>(kind: ListKind, names: readonly string[], reader: DefinitionReader<T>, isLive: boolean): readonly T[] {
    const list = this.list(kind);
    const stored = list.texts ? undefined : this.#options.catalogFile?.findAll(kind, names);
    const found = names.map((name, at) => {
      const one = stored?.[at];
      const isOther = isLive && one !== undefined && one.check !== list.checkOf(name);
      const text = list.textOf(name) ?? (isOther ? undefined : one?.text);
      return text === undefined ? undefined : parse(text, name, reader);
    });
    if (found.includes(undefined)) this.#lost.add(kind);
    return found.filter((value) => value !== undefined);
  }

  /** An item as its server wrote it; undefined as for a definition. */
  serverDefinition(kind: ListKind, name: string, isLive: boolean): ServerDefinition | undefined {
    const list = this.list(kind);
    const check = list.checkOf(name);
    if (check === undefined) return undefined;
    const text = list.textOf(name) ?? this.#stored(kind, name, isLive ? check : undefined);
    const known = text === undefined ? undefined : parse(text, name, { key: keyOf(kind), read: (item) => item });
    if (!known) {
      this.#lost.add(kind);
      return undefined;
    }
    const item = fromOwnText(kind, this.#ownText(kind, name) ?? '', known);
    return item ? { item, isComplete: true } : { item: known, isComplete: false };
  }

  /** The definition as it is written down. */
  textOf(kind: ListKind, name: string): string | undefined {
    const list = this.list(kind);
    return list.textOf(name) ?? this.#stored(kind, name, list.checkOf(name));
  }

  isLost(kind: ListKind): boolean {
    return this.#lost.has(kind);
  }

  async forget(): Promise<void> {
    this.#lists.clear();
    this.#lost.clear();
    this.#parsed.clear();
    this.#facts = undefined;
    this.#savedAt = undefined;
    await this.#saves.drop();
    await this.#options.catalogFile?.delete();
  }

  flush(): Promise<void> {
    return this.#saves.flush();
  }

  #stored(kind: ListKind, name: string, check: string | undefined): string | undefined {
    const found = this.#options.catalogFile?.find(kind, name);
    return check === undefined || found?.check === check ? found?.text : undefined;
  }

  #ownText(kind: ListKind, name: string): string | undefined {
    const list = this.list(kind);
    if (list.own.texts) return list.ownOf(name);
    const found = list.own.check === '' ? undefined : this.#options.catalogFile?.findOwn(kind, name);
    if (found?.check === list.checkOf(name)) return found?.text;
    // The file is another one by now: the next time that the server lists them they are kept anew.
    list.own = { check: '', texts: undefined };
    return undefined;
  }

  async #save(): Promise<void> {
    const { catalogFile, wall } = this.#options;
    const facts = this.#facts;
    if (!catalogFile || !facts) return;
    const server = versionKey(facts);
    const lists = new Map([...this.#lists].filter(([, { origin }]) => origin.server === server));
    const at = wall();
    // As they are now: they may be exchanged while they are written.
    const owns = Array.from(lists, ([kind, { list }]) => [kind, list.own] as const);
    const kept = await catalogFile.set({ at, facts, lists });
    if (kept.size > 0) this.#savedAt = at;
    for (const [kind, { list }] of lists) if (kept.has(kind)) list.texts = undefined;
    for (const [kind, own] of owns) if (kept.has(kind)) own.texts = undefined;
  }
}

function isFresh(origin: ListFreshness, { server, at }: Pick<ListFreshness, 'server' | 'at'>): boolean {
  // A clock that was set back says nothing about how old it is.
  return origin.server === server && origin.at <= at && timeLeft(origin, at) > 0;
}

function timeLeft({ at, ttlMs }: ListFreshness, now: number): number {
  return at + Math.min(ttlMs, LONGEST_TTL) - now;
}

/** Without what is not there. */
function toJson({ instructions, ...facts }: CatalogFacts): object {
  return { ...facts, ...(instructions !== undefined && { instructions }) };
}

function parse<T>(text: string, name: string, { key, read }: DefinitionReader<T>): T | undefined {
  try {
    const item: unknown = JSON.parse(text);
    return isObject(item) && item[key] === name ? read(item) : undefined;
  } catch {
    return undefined; // the file holds something else by now
  }
}

const PARSED_COUNT = 128;
const PARSED_SIZE = 1_000_000; // characters as JSON; parsed they take a few times that
const LONGEST_TTL = 86_400_000; // a day, whatever a file says
const RENEWED_AFTER = 7 * 86_400_000; // well before a file is swept
