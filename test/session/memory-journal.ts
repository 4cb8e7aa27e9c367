import type { Journal, StoredConversation, StoredItem } from '../../src/session/journal.js';

/** A journal in memory, through JSON as a file would have it. */
export class MemoryJournal implements Journal {
  readonly path = undefined;
  readonly results: unknown[] = [];
  #items: StoredItem[] = [];
  #told: object | undefined;

  add(item: StoredItem): void {
    this.#items.push(item);
  }

  result(result: unknown): void {
    this.results.push(result);
  }

  rewrite(items: readonly StoredItem[]): void {
    this.#items = [...items];
  }

  told(told: object): void {
    this.#told = told;
  }

  /** What another process would read. */
  get stored(): StoredConversation {
    return JSON.parse(JSON.stringify({ items: this.#items, told: this.#told })) as StoredConversation;
  }
}
