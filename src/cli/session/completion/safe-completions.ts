import { gateLine } from '../../../model/text/text-gate.js';
import type { CompletionItem, CompletionList } from '../../terminal/screen.js';

/** What could stand there. A word of a server that holds something that does not show, or that a terminal would obey, is not offered. */
export function safeCompletions(
  from: number,
  to: number,
  items: readonly CompletionItem[],
): CompletionList | undefined {
  const safe = items.filter(({ text }) => gateLine(text).text === text);
  return safe.length === 0 ? undefined : { from, to, items: safe };
}
