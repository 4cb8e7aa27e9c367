import { gateLine } from '../../../model/text/text-gate.js';
import type { CompletionItem, CompletionList } from '../../terminal/screen.js';

/** Drops completions, whose text servers write, that hold invisible characters or ones a terminal would act on. */
export function safeCompletions(
  from: number,
  to: number,
  items: readonly CompletionItem[],
): CompletionList | undefined {
  const safe = items.filter(({ text }) => gateLine(text).text === text);
  return safe.length === 0 ? undefined : { from, to, items: safe };
}
