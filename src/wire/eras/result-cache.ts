// https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
import type { JsonObject } from '../../base/json.js';
import { roughSize } from '../../base/rough-size.js';
import type { Clock } from '../../model/clock.js';

/**
 * Results that the server declared fresh for a time: `public` ones for all callers of this connection, others for the
 * principal that received them. Connections share nothing.
 */
export class ResultCache {
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #entries = new Map<string, Entry>();
  /** How often the cached results of a method were invalidated. */
  readonly #ages = new Map<string, number>();
  #size = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The cache key of a request, made before it is sent; undefined when its result is not cached. */
  placeFor(method: string, params: object | undefined, principal: string | undefined): CachePlace | undefined {
    if (!CACHEABLE.has(method)) return undefined;
    const { _meta: _, ...asked } = (params ?? {}) as JsonObject;
    // What answers a question of the server is for one request alone.
    if (asked['inputResponses'] !== undefined || asked['requestState'] !== undefined) return undefined;
    const key = `${method} ${params === undefined ? '' : JSON.stringify(asked)}`;
    const privateKey = principal === undefined ? key : `${key}\0${principal}`; // JSON contains no NUL
    if (privateKey.length > LONGEST_KEY) return undefined;
    const uri = (params as JsonObject | undefined)?.['uri'];
    const about = { method, uri: typeof uri === 'string' ? uri : undefined, age: this.#ages.get(method) ?? 0 };
    return { ...about, publicKey: `*${key}`, privateKey };
  }

  get({ publicKey, privateKey }: CachePlace): JsonObject | undefined {
    return this.#fresh(publicKey) ?? this.#fresh(privateKey);
  }

  #fresh(key: string): JsonObject | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (this.#clock.monotonic() < entry.until) return entry.result;
    this.#delete(key, entry);
    return undefined;
  }

  /** Freezes and caches a result, since all callers share it. */
  keep(place: CachePlace, result: JsonObject): void {
    const { method, uri, age } = place;
    const key = result['cacheScope'] === 'public' ? place.publicKey : place.privateKey;
    // Invalidated after the request was sent: the result may be outdated.
    if (age !== (this.#ages.get(method) ?? 0)) return;
    const ttlMs = toTtl(result['ttlMs']);
    const size = ttlMs === 0 ? Infinity : roughSize(result, LARGEST) + 2 * key.length + ENTRY_COST;
    if (size > LARGEST || !freeze(result)) return;
    const older = this.#entries.get(key);
    if (older) this.#delete(key, older);
    this.#entries.set(key, { method, uri, result, size, until: this.#clock.monotonic() + ttlMs });
    this.#size += size;
    for (const [first, entry] of this.#entries) {
      if (this.#size <= BUDGET) break;
      this.#delete(first, entry);
    }
  }

  /** Drops what a notification of the server may concern. */
  invalidate(note: string, params: JsonObject): void {
    const methods = AFFECTED.get(note) ?? [];
    const uri = note === UPDATED && typeof params['uri'] === 'string' ? params['uri'] : undefined;
    for (const method of methods) this.#forget(method, (entry) => uri === undefined || isOf(entry, uri));
  }

  /** Drops all pages of a list, when a cursor has become invalid. */
  forgetPages(method: string): void {
    this.#forget(method, () => true);
  }

  #forget(method: string, isStale: (entry: Entry) => boolean): void {
    this.#ages.set(method, (this.#ages.get(method) ?? 0) + 1);
    for (const [key, entry] of this.#entries) {
      if (entry.method === method && isStale(entry)) this.#delete(key, entry);
    }
  }

  #delete(key: string, { size }: Entry): void {
    this.#entries.delete(key);
    this.#size -= size;
  }
}

export interface CachePlace {
  readonly method: string;
  /** Keys for results with public and with private scope. */
  readonly publicKey: string;
  readonly privateKey: string;
  readonly uri: string | undefined;
  readonly age: number;
}

interface Entry {
  readonly method: string;
  readonly uri: string | undefined;
  readonly result: JsonObject;
  readonly size: number;
  /** Expiry time on the monotonic clock. */
  readonly until: number;
}

const CACHEABLE: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'skills/list',
  'skills/get',
]);
const UPDATED = 'notifications/resources/updated';
const AFFECTED: ReadonlyMap<string, readonly string[]> = new Map([
  ['notifications/tools/list_changed', ['tools/list']],
  ['notifications/prompts/list_changed', ['prompts/list']],
  ['notifications/resources/list_changed', ['resources/list', 'resources/templates/list', 'skills/list', 'skills/get']],
  [UPDATED, ['resources/read']],
]);
const LONGEST = 86_400_000; // a day; even a server that says "for ever" may change
const LARGEST = 500_000; // characters in one result, about
const MOST_PARTS = 10_000;
const BUDGET = 8_000_000; // characters in all results, about
const ENTRY_COST = 2_000; // memory of a small entry; bounds the cache to 4,000 entries
const LONGEST_KEY = 4_000;

function toTtl(ttlMs: unknown): number {
  return typeof ttlMs === 'number' && ttlMs > 0 ? Math.min(ttlMs, LONGEST) : 0;
}

function isOf({ uri: read }: Entry, uri: string): boolean {
  return read === undefined || read.startsWith(uri) || uri.startsWith(read);
}

/** Freezes the value deeply. Returns false, changing nothing, when it has more than `MOST_PARTS` objects. */
function freeze(value: object): boolean {
  const parts: object[] = [value];
  for (let at = 0; at < parts.length; at++) {
    if (parts.length > MOST_PARTS) return false;
    for (const child of Object.values(parts[at]!)) {
      if (typeof child === 'object' && child !== null) parts.push(child as object);
    }
  }
  for (const part of parts) Object.freeze(part);
  return true;
}
