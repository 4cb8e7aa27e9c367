// Pagination: https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination
import { badAnswer } from '../wire/answer.js';
import type { CallOptions } from '../wire/peer.js';
import type { Link } from './connect.js';

export interface Pages {
  readonly items: readonly unknown[];
  /** Why there may be more than this. */
  readonly warning: string | undefined;
}

export interface ListOptions extends CallOptions {
  /** Items to keep at most. */
  readonly limit: number;
}

/** Everything that a list method gives, page by page, until it ends, repeats itself or has been long enough. */
export async function listPages(
  { session, name, peer }: Link,
  { method, key }: { readonly method: string; readonly key: string },
  { limit, ...options }: ListOptions,
): Promise<Pages> {
  const items: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  const deadline = peer.clock.monotonic() + (options.timeoutMs ?? LIST_MS);
  for (let page = 0; page < PAGE_LIMIT; page++) {
    const timeoutMs = Math.max(Math.ceil(deadline - peer.clock.monotonic()), 1);
    const result = await session.request(method, cursor === undefined ? undefined : { cursor }, {
      ...options,
      timeoutMs,
    });
    const found = result[key];
    if (!Array.isArray(found)) throw badAnswer({ server: name, method }, `it has no list of ${key}`);
    if (items.length + found.length > limit) {
      const kept = found.slice(0, limit - items.length);
      return { items: [...items, ...kept], warning: `it lists more than ${limit} ${key}; the rest is left out` };
    }
    for (const item of found) items.push(item);
    const next = result['nextCursor'];
    // An empty text is a cursor like any other; only its absence means the end.
    if (typeof next !== 'string') return { items, warning: undefined };
    if (next.length > CURSOR_LIMIT)
      return { items, warning: `it has a cursor of ${next.length} characters; the rest is left out` };
    if (cursors.has(next))
      return { items, warning: `its pages of ${key} go round in a circle; what came once is kept` };
    cursors.add(next);
    cursor = next;
  }
  return { items, warning: `it has more than ${PAGE_LIMIT} pages of ${key}; the rest is left out` };
}

const PAGE_LIMIT = 64;
const LIST_MS = 60_000; // for all pages together
const CURSOR_LIMIT = 64_000;
