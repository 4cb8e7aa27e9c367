import type { RewriteReason, StoredItem } from '../journal.js';

/** Why the messages in a file are others from here on. */
export type StoredReason = RewriteReason | 'fork';

/** All that was said in a session, each message once and as it was said: also what was summarised since. */
export class SaidItems {
  #all: StoredItem[] = [];

  get all(): readonly StoredItem[] {
    return this.#all;
  }

  add(item: StoredItem): void {
    this.#all.push(item);
  }

  /** The conversation was `before` and is `after` now. */
  rewrite(before: readonly StoredItem[], after: readonly StoredItem[], reason: unknown): void {
    // All else is the same messages, written for another model, or without results that its API refused.
    if (reason === 'fork') this.#all = [...after];
    else if (reason === 'taken-back') this.#takeBack(before, after);
    else if (reason === 'compact') for (const item of news(before, after)) if (isOfHost(item)) this.#all.push(item);
  }

  /** What was taken back was not said, and a message without its unfinished parts comes in its place. */
  #takeBack(before: readonly StoredItem[], after: readonly StoredItem[]): void {
    const kept = new Set(after.map(({ id }) => id));
    const gone = new Set(before.filter(({ id }) => !kept.has(id)).map(({ id }) => id));
    const fresh = new Set(news(before, after));
    const follower = new Map<string | undefined, StoredItem[]>();
    let last: string | undefined;
    for (const item of after) {
      if (!fresh.has(item)) last = item.id;
      else follower.set(last, [...(follower.get(last) ?? []), item]);
    }
    const left = this.#all.filter(({ id }) => !gone.has(id));
    const known = new Set(left.map(({ id }) => id));
    const lost = [...follower].flatMap(([id, items]) => (id !== undefined && known.has(id) ? [] : items));
    this.#all = [...left.flatMap((item) => [item, ...(follower.get(item.id) ?? [])]), ...lost];
  }
}

function news(before: readonly StoredItem[], after: readonly StoredItem[]): readonly StoredItem[] {
  const known = new Set(before.map(({ id }) => id));
  return after.filter(({ id }) => !known.has(id));
}

/** A summary, or words of the host with it: all else is a message that was said before, or its shorter form. */
function isOfHost(item: StoredItem): boolean {
  return item.kind === 'message' && (item.from === 'summary' || item.from === 'host');
}
