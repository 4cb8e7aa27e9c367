import { isObject } from '../../base/json.js';
import type { CallOptions } from '../../wire/peer.js';
import type { Connection } from '../connect.js';
import { forEachYielding } from './for-each-yielding.js';
import { listPages, warningsOf } from './list-pages.js';

/** How a kind of list is requested and parsed. */
export interface ItemReader<T> {
  readonly capability: 'resources' | 'prompts';
  readonly method: string;
  /** Field of the result that holds the list; also the plural noun for its items in warnings. */
  readonly key: string;
  /** Undefined for an item that cannot be used. */
  readonly read: (item: { readonly [field: string]: unknown }) => T | undefined;
  readonly nameOf: (item: T) => string;
}

export interface ItemList<T> {
  readonly items: readonly T[];
  /** `items`, each as the server wrote it. */
  readonly written: readonly { readonly [field: string]: unknown }[];
  readonly warnings: readonly string[];
  /** Milliseconds that the list stays fresh, as the server says. */
  readonly ttlMs: number;
}

/** Fetches all items of a list. Malformed and duplicate items are left out and counted in a warning. */
export async function listItems<T>(
  connection: Connection,
  { capability, method, key, read, nameOf }: ItemReader<T>,
  options: CallOptions = {},
): Promise<ItemList<T>> {
  if (!isObject(connection.session.capabilities[capability])) return { items: [], written: [], warnings: [], ttlMs: 0 };
  const pages = await listPages(connection, { method, key }, { ...options, limit: ITEM_LIMIT, isOptional: true });
  const items = new Map<string, T>();
  const written: { readonly [field: string]: unknown }[] = [];
  let malformed = 0;
  let repeated = 0;
  await forEachYielding(connection.peer.clock, pages.items, (item) => {
    const found = isObject(item) ? read(item) : undefined;
    if (found === undefined) malformed++;
    else if (items.has(nameOf(found))) repeated++;
    else {
      items.set(nameOf(found), found);
      written.push(item as { readonly [field: string]: unknown });
    }
  });
  const warnings = [...warningsOf(pages)];
  if (malformed > 0) warnings.push(`${malformed} of its ${key} are malformed, and left out`);
  if (repeated > 0) warnings.push(`${repeated} of its ${key} come more than once; the first is kept`);
  return { items: [...items.values()], written, warnings, ttlMs: pages.ttlMs };
}

/** Whether this can be the key of an item, as the server spells it: not empty, within the limit. */
export function isKey(name: unknown, limit: number): name is string {
  return typeof name === 'string' && name !== '' && name.length <= limit;
}

const ITEM_LIMIT = 10_000;
