import { shorten } from '../../base/shorten.js';
import { showLine } from '../../model/show.js';
import type { StoredItem } from '../journal.js';

/** The title of a session: the beginning of its first prompt, in one line. Empty for a prompt without text. */
export function toTitle(words: string): string {
  return shorten(showLine(words.slice(0, LOOKED_AT)).trim(), TITLE_LENGTH);
}

/** What the user said with a message, without mentioned resources and what hooks add. Empty for images and results. */
export function typedWords(item: StoredItem): string {
  if (item.kind !== 'message') return '';
  return item.typed ?? item.message.parts.find((part) => part.kind === 'text')?.text ?? '';
}

/** The words of the first prompt. A prompt of a server can be several messages, the last of which has them. */
export function firstWords(items: readonly StoredItem[]): string {
  const from = items.findIndex(isPrompt);
  if (from === -1) return '';
  const next = items.findIndex((item, at) => at > from && (item.kind !== 'message' || item.from !== 'user'));
  const given = items.slice(from, next === -1 ? undefined : next);
  return typedWords(given.find((item) => item.kind === 'message' && item.typed !== undefined) ?? given[0]!);
}

/** Whether a message is the user's. */
export function isPrompt(item: StoredItem): boolean {
  return item.kind === 'message' && item.message.role === 'user' && (item.from ?? 'user') === 'user';
}

const LOOKED_AT = 4_000; // characters; the rest of a pasted file changes nothing
const TITLE_LENGTH = 200;
