// Pagination: https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination
// How long they stay fresh: https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
import type { JsonObject } from '../../base/json.js';
import { badResponse } from '../../wire/response.js';
import type { CallOptions } from '../../wire/peer.js';
import { isRpc } from '../../wire/rpc-codes.js';
import type { Connection } from '../connect.js';

export interface Pages {
  readonly items: readonly unknown[];
  /** Why there may be more than this. */
  readonly warnings: readonly string[];
  /** How long all of it stays fresh from now on, as the server says; 0 where it says nothing, and before 2026-07-28. */
  readonly ttlMs: number;
}

export interface ListOptions extends CallOptions {
  /** Items to keep at most. */
  readonly limit: number;
  /** Many servers declare such a list and have none: then it is empty. */
  readonly isOptional?: boolean;
}

export interface PagedRequest {
  readonly method: string;
  /** Where the list stands in the answer, and what its items are called. */
  readonly key: string;
  /** What every page is asked with. */
  readonly params?: object | undefined;
}

/** Everything that a list method gives, page by page, until it ends, repeats itself or has been long enough. */
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
  const end = (...warnings: string[]): Pages => {
    const ttlMs = session.era === 'modern' ? Math.max(Math.floor(freshUntil - clock.monotonic()), 0) : 0;
    return { items, warnings, ttlMs };
  };
  const deadline = clock.monotonic() + (options.timeoutMs ?? LIST_TIMEOUT);
  for (let page = 0; page < PAGE_LIMIT; page++) {
    const timeoutMs = Math.max(Math.ceil(deadline - clock.monotonic()), 1);
    const params = cursor === undefined ? fixed : { ...fixed, cursor };
    const asking = session.request(method, params, { ...options, timeoutMs });
    const result = await (page > 0 || !isOptional ? asking : asking.catch(unlessUnknown));
    // Templates have no capability of their own, and many servers of resources have none of them.
    if (result === undefined)
      return key === 'resourceTemplates' ? end() : end(`it declares ${key} and does not know ${method}`);
    freshUntil = Math.min(freshUntil, clock.monotonic() + readTtl(result));
    const found = result[key];
    if (!Array.isArray(found)) throw badResponse({ server: name, method }, `it has no list of ${key}`);
    const room = limit - items.length;
    for (const item of found.length > room ? found.slice(0, room) : found) items.push(item);
    if (found.length > room) return end(`it lists more than ${limit} ${key}; the rest is left out`);
    const next = result['nextCursor'];
    // An empty text is a cursor like any other; only its absence means the end.
    if (typeof next !== 'string') return end();
    if (next.length > CURSOR_LIMIT) return end(`it has a cursor of ${next.length} characters; the rest is left out`);
    if (cursors.has(next)) return end(`its pages of ${key} go round in a circle; what came once is kept`);
    cursors.add(next);
    cursor = next;
  }
  return end(`it has more than ${PAGE_LIMIT} pages of ${key}; the rest is left out`);
}

function unlessUnknown(error: unknown): undefined {
  if (!isRpc(error, METHOD_NOT_FOUND)) throw error;
}

function readTtl({ ttlMs }: JsonObject): number {
  return typeof ttlMs === 'number' && ttlMs > 0 ? Math.min(ttlMs, LONGEST_TTL) : 0;
}

const METHOD_NOT_FOUND = -32601;
const LONGEST_TTL = 86_400_000; // a day; a server that says "for ever" may still change
const PAGE_LIMIT = 64;
/** For all pages together. */
export const LIST_TIMEOUT = 60_000;
const CURSOR_LIMIT = 64_000;
