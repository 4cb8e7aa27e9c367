// Pagination: https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination
// How long they stay fresh: https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
import type { JsonObject } from '../../base/json.js';
import { groupDigits } from '../../base/group-digits.js';
import { roughSize } from '../../base/rough-size.js';
import { cutOf } from '../../model/spilled.js';
import { badResponse } from '../../wire/response.js';
import type { CallOptions } from '../../wire/peer.js';
import type { Clock } from '../../model/clock.js';
import { isRpc } from '../../wire/rpc-codes.js';
import type { Connection } from '../connect.js';
import { forEachYielding } from './for-each-yielding.js';

export interface Pages {
  readonly items: readonly unknown[];
  /** What is odd about the list. */
  readonly warnings: readonly string[];
  /** Why the rest of the list is left out; undefined when all of it is there. */
  readonly leftOut: string | undefined;
  /** Milliseconds that the whole list stays fresh, as the server says; 0 by default, and before 2026-07-28. */
  readonly ttlMs: number;
}

export interface ListOptions extends CallOptions {
  /** Maximum number of items to keep. */
  readonly limit: number;
  /** METHOD_NOT_FOUND means an empty list: many servers declare a list that they do not implement. */
  readonly isOptional?: boolean;
}

export interface PagedRequest {
  readonly method: string;
  /** Field of the result that holds the list; also the plural noun for its items in warnings. */
  readonly key: string;
  /** Parameters of every page's request. */
  readonly params?: object | undefined;
}

/** Fetches all pages of a list, until the list ends, repeats a cursor or exceeds a limit. */
export async function listPages(
  { session, name, peer }: Connection,
  { method, key, params: fixed }: PagedRequest,
  { limit, isOptional = false, ...options }: ListOptions,
): Promise<Pages> {
  const items: unknown[] = [];
  const cursors = new Set<string>();
  const { clock } = peer;
  let cursor: string | undefined;
  let freshUntil = Infinity;
  let large: string | undefined;
  const end = (warnings: readonly string[] = [], leftOut = large): Pages => {
    const ttlMs = session.era === 'modern' ? Math.max(Math.floor(freshUntil - clock.monotonic()), 0) : 0;
    return { items, warnings, leftOut, ttlMs };
  };
  const endEarly = (why: string): Pages =>
    end([], `${why}; those after the first ${groupDigits(items.length)} are left out`);
  const tooLarge = (): Pages => endEarly(`its list of ${key} is larger than ${LIST_MB} MB`);
  const weight = new ListWeight(clock);
  const deadline = clock.monotonic() + (options.timeoutMs ?? LIST_TIMEOUT);
  for (let page = 0; page < PAGE_LIMIT; page++) {
    const timeoutMs = Math.max(Math.ceil(deadline - clock.monotonic()), 1);
    const params = cursor === undefined ? fixed : { ...fixed, cursor };
    const asking = session.request(method, params, {
      ...options,
      timeoutMs,
      room: { key, items: limit - items.length + 1 },
    });
    const result = await (page > 0 || !isOptional ? asking : asking.catch(unlessUnknown));
    // No warning: templates have no capability of their own, and many servers with resources have none.
    if (result === undefined)
      return key === 'resourceTemplates' ? end() : end([`it declares ${key} and does not know ${method}`]);
    freshUntil = Math.min(freshUntil, clock.monotonic() + readTtl(result));
    const found = result[key];
    if (!Array.isArray(found)) throw badResponse({ server: name, method }, `it has no list of ${key}`);
    const room = limit - items.length;
    for (const item of found.length > room ? found.slice(0, room) : found) items.push(item);
    if (found.length > room) return endEarly(`it lists more than ${groupDigits(limit)} ${key}`);
    const cut = cutOf(found);
    if (cut === 'rest' || (await weight.isTooMuch(items))) return tooLarge();
    if (cut === 'items') large = `it lists ${key} that are larger than ${ITEM_MB} MB each; these are left out`;
    const next = result['nextCursor'];
    // An empty string is a valid cursor; only a missing cursor means the end.
    if (typeof next !== 'string') return end();
    if (next.length > CURSOR_LIMIT)
      return endEarly(`its list of ${key} has a cursor of ${groupDigits(next.length)} characters`);
    if (cursors.has(next)) return end([`its pages of ${key} go round in a circle; what came once is kept`]);
    cursors.add(next);
    cursor = next;
  }
  return endEarly(`its list of ${key} has more than ${PAGE_LIMIT} pages`);
}

/** All that is to be said of a list whose items are not set aside one by one. */
export function warningsOf({ warnings, leftOut }: Pages): readonly string[] {
  return leftOut === undefined ? warnings : [...warnings, leftOut];
}

/** Weighs the items of many pages. A single page has a bound of its own. */
class ListWeight {
  readonly #clock: Clock;
  #pages = 0;
  #weighed = 0;
  #weight = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Called once after each page, with the items of all pages so far. */
  async isTooMuch(items: readonly unknown[]): Promise<boolean> {
    if (this.#pages++ === 0) return false;
    await forEachYielding(this.#clock, items.slice(this.#weighed), (item) => {
      if (typeof item === 'object' && item !== null) this.#weight += roughSize(item, LIST_LIMIT);
    });
    this.#weighed = items.length;
    return this.#weight > LIST_LIMIT;
  }
}

function unlessUnknown(error: unknown): undefined {
  if (!isRpc(error, METHOD_NOT_FOUND)) throw error;
}

function readTtl({ ttlMs }: JsonObject): number {
  return typeof ttlMs === 'number' && ttlMs > 0 ? Math.min(ttlMs, LONGEST_TTL) : 0;
}

const METHOD_NOT_FOUND = -32601;
const LONGEST_TTL = 86_400_000; // a day; a list that is declared fresh "for ever" may still change
const PAGE_LIMIT = 64;
/** Milliseconds for all pages together. */
export const LIST_TIMEOUT = 60_000;
const CURSOR_LIMIT = 64_000;
const ITEM_MB = 8;
const LIST_MB = 64;
const LIST_LIMIT = LIST_MB * 1_000_000; // characters of all pages, as many as the wire keeps of one
