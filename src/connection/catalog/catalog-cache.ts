import { isObject } from '../../base/json.js';
import { Lru } from '../../base/collections/lru.js';
import { type Difference, difference } from '../../model/view/catalog-difference.js';
import type { Clock } from '../../model/clock.js';
import { isSameJson } from '../../model/text/same-json.js';
import { type CatalogFacts, type DatedList, versionKey } from './catalog-index.js';
import type { CachedCatalogFile, DefinitionWithOwn } from './catalog-files.js';
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

export interface DefinitionReader<T> {
  /** The field that holds the item's key. */
  readonly key: string;
  readonly read: (item: { readonly [field: string]: unknown }) => T | undefined;
}

/** A server's catalog: names in memory, definitions on disk, or in memory until they are saved. */
export class CatalogCache {
  readonly #options: CatalogCacheOptions;
  readonly #lists = new Map<ListKind, DatedList>();
  /** Lists with a definition that could not be read from the cache file any more. */
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

  /** Loads what the last run saved. False when nothing was saved. */
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

  /** Replaces a list. Returns the difference; undefined when no definition changed. */
  put(kind: ListKind, list: CachedList, origin: ListFreshness): Difference | undefined {
    const before = this.#lists.get(kind);
    const change =
      before && before.list.columns.names.length > 0 ? difference(before.list.hashes(), list.hashes()) : allAdded(list);
    const isKept = before !== undefined && !change && !this.#lost.has(kind);
    const own = isKept ? list.ownIn(before.list) : list.own;
    const isSameOwn = before?.list.own.hash === own.hash;
    // Another icon, or a `_meta` that differs each time, does not change the definition: no change is published.
    if (isKept && !isSameOwn) before.list.own = own;
    this.#lost.delete(kind);
    // The MCP session may have answered from its own cache: then the list is no fresher than before.
    const left = before && !change && isFresh(before.origin, origin) ? timeLeft(before.origin, origin.at) : Infinity;
    const ttlMs = Math.min(origin.ttlMs, left);
    this.#lists.set(kind, { list: isKept ? before.list : list, origin: { ...origin, ttlMs } });
    const isSameOrigin =
      before?.origin.server === origin.server && isSameJson(before.origin.warnings, origin.warnings) && ttlMs === 0;
    if (!isKept || !isSameOwn || !isSameOrigin) this.#saves.ask();
    return change;
  }

  /** Whether the list came from the server's current version, and its ttl has not passed. */
  isFresh(kind: ListKind): boolean {
    const origin = this.origin(kind);
    if (!origin || !this.#facts) return false;
    return isFresh(origin, { server: versionKey(this.#facts), at: this.#options.wall() });
  }

  /** Saves the file again when it is a week old, because files that look unused for `LIFETIME` are swept. */
  renew(): void {
    const age = this.#savedAt === undefined ? 0 : this.#options.wall() - this.#savedAt;
    if (age < 0 || age > RENEWED_AFTER) this.#saves.ask();
  }

  /**
   * The parsed definition; undefined when the list has none of this name or the file no longer holds it. With `isLive`
   * (the server is connected) a definition that another program has written since is ignored: the server can be asked.
   */
  definition<T>(kind: ListKind, name: string, reader: DefinitionReader<T>, isLive: boolean): T | undefined {
    const list = this.list(kind);
    const hash = list.hashOf(name);
    if (hash === undefined) return undefined;
    const place = `${kind} ${hash} ${name}`;
    const known = this.#parsed.get(place);
    if (known !== undefined) return known as T;
    const text = list.textOf(name) ?? this.#stored(kind, name, isLive ? hash : undefined);
    const value = text === undefined ? undefined : parse(text, name, reader);
    if (value === undefined) this.#lost.add(kind);
    else this.#parsed.set(place, value, text!.length);
    return value;
  }

  /** Reads these definitions from the file at once, without caching them parsed. Leaves out those that are lost. */
  definitions<T>(kind: ListKind, names: readonly string[], reader: DefinitionReader<T>, isLive: boolean): readonly T[] {
    const list = this.list(kind);
    const stored = list.texts ? undefined : this.#options.catalogFile?.findAll(kind, names);
    const found = names.map((name, at) => {
      const one = stored?.[at];
      const isOther = isLive && one !== undefined && one.hash !== list.hashOf(name);
      const text = list.textOf(name) ?? (isOther ? undefined : one?.text);
      return text === undefined ? undefined : parse(text, name, reader);
    });
    if (found.includes(undefined)) this.#lost.add(kind);
    return found.filter((value) => value !== undefined);
  }

  /** The item as its server wrote it; undefined in the cases in which `definition` is. */
  serverDefinition(kind: ListKind, name: string, isLive: boolean): ServerDefinition | undefined {
    const list = this.list(kind);
    const hash = list.hashOf(name);
    if (hash === undefined) return undefined;
    const { text, own } = this.#textAndOwn(kind, name, isLive ? hash : undefined);
    const known = text === undefined ? undefined : parse(text, name, { key: keyOf(kind), read: (item) => item });
    if (!known) {
      this.#lost.add(kind);
      return undefined;
    }
    const item = fromOwnText(kind, own ?? '', known);
    return item ? { item, isComplete: true } : { item: known, isComplete: false };
  }

  /** The definition as JSON. */
  textOf(kind: ListKind, name: string): string | undefined {
    const list = this.list(kind);
    return list.textOf(name) ?? this.#stored(kind, name, list.hashOf(name));
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

  #stored(kind: ListKind, name: string, hash: string | undefined): string | undefined {
    const found = this.#options.catalogFile?.find(kind, name);
    return hash === undefined || found?.hash === hash ? found?.text : undefined;
  }

  /** The definition as JSON, and what the server's own item has besides; the file is opened once at most. */
  #textAndOwn(
    kind: ListKind,
    name: string,
    hash: string | undefined,
  ): { readonly text: string | undefined; readonly own: string | undefined } {
    const list = this.list(kind);
    const isOwnStored = !list.own.texts && list.own.hash !== '';
    const stored = isOwnStored ? this.#options.catalogFile?.findWithOwn(kind, name) : undefined;
    const text = list.textOf(name) ?? (isOwnStored ? textIn(stored, hash) : this.#stored(kind, name, hash));
    return { text, own: text === undefined ? undefined : this.#ownText(list, name, stored) };
  }

  #ownText(list: CachedList, name: string, stored: DefinitionWithOwn | undefined): string | undefined {
    if (list.own.texts) return list.ownOf(name);
    if (stored?.own !== undefined && stored.definition.hash === list.hashOf(name)) return stored.own;
    // Another program has replaced the file. The next listing keeps the own items again.
    list.own = { hash: '', texts: undefined };
    return undefined;
  }

  async #save(): Promise<void> {
    const { catalogFile, wall } = this.#options;
    const facts = this.#facts;
    if (!catalogFile || !facts) return;
    const server = versionKey(facts);
    const lists = new Map([...this.#lists].filter(([, { origin }]) => origin.server === server));
    const at = wall();
    // Captured before the write: `put` may replace a list's own items while it is under way.
    const owns = Array.from(lists, ([kind, { list }]) => [kind, list.own] as const);
    for (const { list } of lists.values()) await list.complete(this.#options.clock);
    const kept = await catalogFile.set({ at, facts, lists });
    if (kept.size > 0) this.#savedAt = at;
    for (const [kind, { list }] of lists) if (kept.has(kind)) list.texts = undefined;
    for (const [kind, own] of owns) if (kept.has(kind)) own.texts = undefined;
  }
}

/** Undefined where the file has another definition than the one with this hash. */
function textIn(stored: DefinitionWithOwn | undefined, hash: string | undefined): string | undefined {
  return hash === undefined || stored?.definition.hash === hash ? stored?.definition.text : undefined;
}

/** Nothing is compared with anything: the first list that is known needs no hashes. */
function allAdded({ columns: { names } }: CachedList): Difference | undefined {
  return names.length === 0 ? undefined : { added: names, removed: [], changed: [] };
}

function isFresh(origin: ListFreshness, { server, at }: Pick<ListFreshness, 'server' | 'at'>): boolean {
  // If the wall clock was set back, the age of the list is unknown: not fresh.
  return origin.server === server && origin.at <= at && timeLeft(origin, at) > 0;
}

function timeLeft({ at, ttlMs }: ListFreshness, now: number): number {
  return at + Math.min(ttlMs, LONGEST_TTL) - now;
}

/** Leaves out undefined instructions, so that `isSameJson` compares only what is there. */
function toJson({ instructions, ...facts }: CatalogFacts): object {
  return { ...facts, ...(instructions !== undefined && { instructions }) };
}

function parse<T>(text: string, name: string, { key, read }: DefinitionReader<T>): T | undefined {
  try {
    const item: unknown = JSON.parse(text);
    return isObject(item) && item[key] === name ? read(item) : undefined;
  } catch {
    return undefined; // the file holds something else now
  }
}

const PARSED_COUNT = 128;
const PARSED_SIZE = 1_000_000; // characters of JSON; the parsed objects take a few times that
const LONGEST_TTL = 86_400_000; // a day, whatever ttl the file claims
const RENEWED_AFTER = 7 * 86_400_000; // a week: well before the file would be swept
