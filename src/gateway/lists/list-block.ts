import type { JsonObject } from '../../base/json.js';

/** One item of a list, as clients get it. */
export interface ListedItem {
  /** Its key: the name or URI that clients know. Lists are sorted by it. */
  readonly key: string;
  readonly json: string;
}

/** What is known of the items of one server, so that a change of another one costs nothing here. */
export class ListBlock {
  readonly #items = new Map<string, { readonly marks: readonly unknown[]; readonly item: ListedItem | undefined }>();

  /**
   * The item, made anew only if one of `marks` is another one than the last time: objects that are replaced when
   * something changes that the item is made of.
   */
  async item(
    key: string,
    marks: readonly unknown[],
    make: () => Promise<JsonObject | undefined>,
  ): Promise<ListedItem | undefined> {
    const known = this.#items.get(key);
    if (known?.marks.every((mark, at) => mark === marks[at]) === true) return known.item;
    const made = await make();
    const item = made && { key, json: JSON.stringify(made) };
    // The same text stays the same string, and comparing lists is comparing references.
    const kept = item && known?.item?.json === item.json ? known.item : item;
    this.#items.set(key, { marks, item: kept });
    return kept;
  }

  /** Forgets the items that were not asked for since the list was made. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#items.keys()) if (!keys.has(key)) this.#items.delete(key);
  }
}
