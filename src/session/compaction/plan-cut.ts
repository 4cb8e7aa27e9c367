import type { ConversationItem } from '../conversation-items.js';

export interface CutOptions {
  /** The tokens of an item. */
  readonly tokensOf: (item: ConversationItem) => number;
  /** The most tokens of what is kept. */
  readonly budget: number;
  /** The most tokens of what the model has not read yet, which is kept even beyond the budget. */
  readonly unreadBudget: number;
}

/**
 * The index of the first item that is kept as it is; those before are summarised. A call and its results are never
 * parted. Undefined: what the model has not read yet is too long to be kept.
 */
export function planCut(items: readonly ConversationItem[], options: CutOptions): number | undefined {
  const { tokensOf, budget, unreadBudget } = options;
  const must = unreadFrom(items);
  let kept = items.slice(must).reduce((sum, item) => sum + tokensOf(item), 0);
  if (kept > unreadBudget) return undefined;
  let cut = must;
  for (let at = must - 1; at >= 0; at--) {
    kept += tokensOf(items[at]!);
    if (kept > budget) break;
    if (items[at]!.stored.kind !== 'results') cut = at;
  }
  return cut;
}

/**
 * The index from which on the model has read nothing: what came after its last answer. Results belong to the calls
 * before them, so they begin with these.
 */
export function unreadFrom(items: readonly ConversationItem[]): number {
  const last = items.findLastIndex(({ message }) => message.role === 'assistant');
  const isCalling = items[last + 1]?.stored.kind === 'results';
  return isCalling ? last : last + 1;
}
