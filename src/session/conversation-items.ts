import { randomUUID } from 'node:crypto';
import { HostError } from '../base/errors.js';
import type { CallResult } from '../host/host-options.js';
import type { Journal, RewriteReason, StoredItem } from './journal.js';
import type { Message } from './message.js';

/** One message of a conversation: as the model reads it, and as it is kept. */
export interface ConversationItem {
  readonly message: Message;
  readonly stored: StoredItem;
}

/** Makes an item of a message of the user or the model. */
export function toItem(
  message: Exclude<Message, { readonly role: 'results' }>,
  about: Pick<Extract<StoredItem, { kind: 'message' }>, 'from' | 'typed' | 'model' | 'files' | 'task'> = {},
): ConversationItem {
  return { message, stored: { kind: 'message', id: randomUUID(), message, ...about } };
}

/** Makes an item of results. `write`: the format of the model's API. */
export function toResultsItem(
  results: readonly CallResult[],
  write: (results: readonly CallResult[]) => readonly object[],
): ConversationItem {
  return {
    message: { role: 'results', results: write(results) },
    stored: { kind: 'results', id: randomUUID(), results },
  };
}

/** Makes items of messages that are sent on behalf of the user. `typed`: the user's words. Throws `usage` for results. */
export function toGiven(messages: readonly Message[], typed: string | undefined): ConversationItem[] {
  const last = messages.findLast(({ role }) => role === 'user');
  return messages.map((message) => {
    if (message.role === 'results') throw new HostError('usage', 'Results cannot be sent as a message');
    const isMarked = message === last && typed !== undefined && typed !== '' && !isAll(typed, message);
    return toItem(message, { from: 'user', ...(isMarked && { typed }) });
  });
}

/** Whether a message consists of a text alone, which is then not kept twice. */
function isAll(text: string, { parts }: Exclude<Message, { role: 'results' }>): boolean {
  const [part] = parts;
  return parts.length === 1 && part?.kind === 'text' && part.text === text;
}

/** The items of a conversation, in order. Every change is kept in the journal at once. */
export class ConversationItems {
  readonly #journal: Journal | undefined;
  #items: ConversationItem[] = [];

  constructor(journal: Journal | undefined) {
    this.#journal = journal;
  }

  get all(): readonly ConversationItem[] {
    return this.#items;
  }

  get length(): number {
    return this.#items.length;
  }

  add(item: ConversationItem): void {
    this.#items.push(item);
    this.#journal?.add(item.stored);
  }

  /** Replaces everything from an index on; nothing happens where that changes nothing. */
  replaceFrom(start: number, items: readonly ConversationItem[], reason: RewriteReason): void {
    const isSame =
      this.#items.length - start === items.length && items.every((item, at) => item === this.#items[start + at]);
    if (isSame) return;
    this.#items.splice(start, Infinity, ...items);
    this.#journal?.rewrite(
      this.#items.map(({ stored }) => stored),
      reason,
    );
  }

  insert(at: number, item: ConversationItem, reason: RewriteReason): void {
    this.replaceFrom(at, [item, ...this.#items.slice(at)], reason);
  }

  /** Takes over items that a journal gave back, which are kept already. */
  restore(items: readonly ConversationItem[]): void {
    this.#items = [...items];
  }
}
