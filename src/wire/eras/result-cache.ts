// https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
import { roughSize } from '../../base/rough-size.js';
import type { Clock } from '../../model/clock.js';
import type { JsonObject } from '../message.js';

/**
 * Results of one session that its server has called fresh for a while. One session has one credential, so that `private` ones
 * may be kept as well as `public` ones; nothing in here is shared.
 */
export class ResultCache {
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #entries = new Map<string, Entry>();
  #size = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(method: string, params: object | undefined): JsonObject | undefined {
    if (this.#entries.size === 0 || !CACHEABLE.has(method)) return undefined;
    const key = keyOf(method, params);
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (this.#clock.monotonic() < entry.until) return entry.result;
    this.#delete(key, entry);
    return undefined;
  }

  keep(method: string, params: object | undefined, result: JsonObject): void {
    const ttlMs = CACHEABLE.has(method) ? toTtl(result['ttlMs']) : 0;
    const size = ttlMs === 0 ? Infinity : roughSize(result, LARGEST);
    if (size > LARGEST) return;
    const key = keyOf(method, params);
    const older = this.#entries.get(key);
    if (older) this.#delete(key, older);
    this.#entries.set(key, { method, params, result, size, until: this.#clock.monotonic() + ttlMs });
    this.#size += size;
    for (const [first, entry] of this.#entries) {
      if (this.#size <= BUDGET) break;
      this.#delete(first, entry);
    }
  }

  /** A note of the server says that something has changed: what it may concern is asked for anew. */
  invalidate(note: string, params: JsonObject): void {
    const methods = AFFECTED.get(note);
    if (!methods) return;
    const uri = note === UPDATED && typeof params['uri'] === 'string' ? params['uri'] : undefined;
    this.#forget((entry) => methods.includes(entry.method) && (uri === undefined || isOf(entry, uri)));
  }

  /** A cursor that is no longer valid makes all pages of its list worthless. */
  forgetPages(method: string): void {
    this.#forget((entry) => entry.method === method);
  }

  #forget(isStale: (entry: Entry) => boolean): void {
    for (const [key, entry] of this.#entries) if (isStale(entry)) this.#delete(key, entry);
  }

  #delete(key: string, { size }: Entry): void {
    this.#entries.delete(key);
    this.#size -= size;
  }
}

interface Entry {
  readonly method: string;
  readonly params: object | undefined;
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
]);
const UPDATED = 'notifications/resources/updated';
const AFFECTED: ReadonlyMap<string, readonly string[]> = new Map([
  ['notifications/tools/list_changed', ['tools/list']],
  ['notifications/prompts/list_changed', ['prompts/list']],
  ['notifications/resources/list_changed', ['resources/list', 'resources/templates/list']],
  [UPDATED, ['resources/read']],
]);
const LONGEST = 86_400_000; // a day; a server that says "for ever" may still change
const LARGEST = 1_000_000; // characters in one result, about
const BUDGET = 8_000_000; // and in all of them

function toTtl(ttlMs: unknown): number {
  return typeof ttlMs === 'number' && ttlMs > 0 ? Math.min(ttlMs, LONGEST) : 0;
}

function keyOf(method: string, params: object | undefined): string {
  return `${method} ${params === undefined ? '' : JSON.stringify(params)}`;
}

function isOf({ params }: Entry, uri: string): boolean {
  const read = (params as JsonObject | undefined)?.['uri'];
  return typeof read !== 'string' || read.startsWith(uri) || uri.startsWith(read);
}
