import type { JsonObject } from '../../base/json.js';
import { SerializedResult } from '../../serving/endpoint.js';
import { hasLegacyTasks } from '../../serving/revision/revisions.js';
import { toRevision } from '../../serving/revision/to-revision.js';
import type { ListedItem } from './list-block.js';
import { withoutTasks } from './tool-items.js';

export interface BuiltListOptions {
  readonly method: string;
  /** The field of the result that has the items. */
  readonly field: string;
  /** The cursor of the page that begins after this item. */
  readonly cursorAfter: (key: string) => string;
  readonly ttlMs: number;
}

/** All items of one list, sorted, and its pages as the bytes that every client gets. */
export class BuiltList {
  readonly items: readonly ListedItem[];
  readonly #options: BuiltListOptions;
  /** Where each page begins. */
  readonly #starts: readonly number[];
  readonly #pages = new Map<string, Map<number, SerializedResult>>();

  constructor(items: readonly ListedItem[], options: BuiltListOptions) {
    this.items = items;
    this.#options = options;
    this.#starts = startsOf(items);
  }

  /** Whether clients would read the same. */
  isSame({ items }: BuiltList): boolean {
    return items.length === this.items.length && items.every(({ json }, at) => json === this.items[at]!.json);
  }

  /** The page that begins after this item, whether it is still there or not; undefined: the first. */
  page(after: string | undefined, revision: string): SerializedResult {
    const start = after === undefined ? 0 : this.#indexAfter(after);
    const known = this.#pages.get(revision)?.get(start);
    if (known) return known;
    const made = this.#make(start, revision);
    // Only the usual pages are kept: others come from cursors of an older list, and are seldom asked for twice.
    if (this.#starts.includes(start)) this.#keep(revision, start, made);
    return made;
  }

  #keep(revision: string, start: number, page: SerializedResult): void {
    const pages = this.#pages.get(revision) ?? new Map<number, SerializedResult>();
    pages.set(start, page);
    if (!this.#pages.has(revision) && this.#pages.size >= REVISIONS) return;
    this.#pages.set(revision, pages);
  }

  #make(start: number, revision: string): SerializedResult {
    const { method, field, cursorAfter, ttlMs } = this.#options;
    const end = endOf(this.items, start);
    const items = this.items.slice(start, end);
    const last = items.at(-1);
    const hasTasks = field !== 'tools' || hasLegacyTasks(revision);
    const result = {
      [field]: items.map(hasTasks ? readItem : (item) => withoutTasks(readItem(item))),
      ...(last && end < this.items.length && { nextCursor: cursorAfter(last.key) }),
      ttlMs,
      cacheScope: 'private',
    };
    return new SerializedResult(JSON.stringify(toRevision(method, result, revision)));
  }

  /** The index of the first item after a key: by halves, because a key may be gone. */
  #indexAfter(key: string): number {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.items[middle]!.key <= key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function startsOf(items: readonly ListedItem[]): readonly number[] {
  const starts = [0];
  for (let end = endOf(items, 0); end < items.length; end = endOf(items, end)) starts.push(end);
  return starts;
}

/** A page has one item at least, however large. */
function endOf(items: readonly ListedItem[], start: number): number {
  let size = 0;
  let end = start;
  while (end < items.length && end - start < PAGE_ITEMS) {
    size += items[end]!.json.length;
    if (size > PAGE_SIZE && end > start) break;
    end++;
  }
  return end;
}

const PAGE_ITEMS = 1_000;
const PAGE_SIZE = 1_000_000; // characters
const REVISIONS = 8; // as many as clients speak

function readItem({ json }: ListedItem): JsonObject {
  return JSON.parse(json) as JsonObject;
}
