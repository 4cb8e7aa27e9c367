// https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
import type { JsonObject } from '../../base/json.js';
import { roughSize } from '../../base/rough-size.js';
import type { Clock } from '../../model/clock.js';

/**
 * Results of one session that its server has called fresh for a while: `public` ones for everybody who asks over this connection, all
 * others for the principal that they were given to. Nothing in here is shared with another connection.
 */
export class ResultCache {
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #entries = new Map<string, Entry>();
  /** How often what a method gives has become worthless. */
  readonly #ages = new Map<string, number>();
  #size = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A place for what a request will give, made before it is sent; undefined where nothing is kept. */
  placeFor(method: string, params: object | undefined, principal: string | undefined): CachePlace | undefined {
    if (!CACHEABLE.has(method)) return undefined;
    const key = `${method} ${params === undefined ? '' : JSON.stringify(params)}`;
    const privateKey = principal === undefined ? key : `${key}\0${principal}`; // JSON has no such character
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

  /** From here on it belongs to everybody who asks, so that nobody may change it. */
  keep(place: CachePlace, result: JsonObject): void {
    const { method, uri, age } = place;
    const key = result['cacheScope'] === 'public' ? place.publicKey : place.privateKey;
    // Something has changed since it was asked for: it may be from before.
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

  /** A note of the server says that something has changed: what it may concern is asked for anew. */
  invalidate(note: string, params: JsonObject): void {
    const methods = AFFECTED.get(note) ?? [];
    const uri = note === UPDATED && typeof params['uri'] === 'string' ? params['uri'] : undefined;
    for (const method of methods) this.#forget(method, (entry) => uri === undefined || isOf(entry, uri));
  }

  /** A cursor that is no longer valid makes all pages of its list worthless. */
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
  /** For what is everybody's, and for what is the principal's. */
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
  /** On the monotonic clock. */
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
const LONGEST = 86_400_000; // a day; a server that says "for ever" may still change
const LARGEST = 500_000; // characters in one result, about
const MOST_PARTS = 10_000;
const BUDGET = 8_000_000; // and in all of them
const ENTRY_COST = 2_000; // of a small one, in memory; 4,000 of them at most
const LONGEST_KEY = 4_000;

function toTtl(ttlMs: unknown): number {
  return typeof ttlMs === 'number' && ttlMs > 0 ? Math.min(ttlMs, LONGEST) : 0;
}

function isOf({ uri: read }: Entry, uri: string): boolean {
  return read === undefined || read.startsWith(uri) || uri.startsWith(read);
}

/** All of it, if it has not so many parts that this takes long. */
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
