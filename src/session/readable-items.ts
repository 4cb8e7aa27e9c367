import type { CallResult } from '../host/host-options.js';
import { type ConversationItem, toItem, toResultsItem } from './conversation-items.js';
import type { StoredItem } from './journal.js';
import type { AssistantPart } from './message.js';
import { PortableIds, toPortable } from './to-portable.js';

export interface ReadableOptions {
  /** Writes results in the format of the model's API. */
  readonly write: (results: readonly CallResult[]) => readonly object[];
  /** Whether another model wrote the message, so that its reasoning and signatures mean nothing here. */
  readonly isForeign: (item: StoredItem) => boolean;
  /** The call ids of the whole conversation; new ones are added. */
  readonly ids: Set<string>;
}

/** The items of a conversation for a model that has not read them. */
export function toReadableItems(
  items: readonly StoredItem[],
  { write, isForeign, ids }: ReadableOptions,
): ConversationItem[] {
  const portable = new PortableIds(ids);
  let isOfForeign = false;
  return items.flatMap((stored): ConversationItem[] => {
    if (stored.kind === 'results') {
      if (!isOfForeign) return [{ message: { role: 'results', results: write(stored.results) }, stored }];
      return [
        toResultsItem(
          stored.results.map((one) => ({ ...one, callId: portable.rename(one.callId) })),
          write,
        ),
      ];
    }
    const { message, from } = stored;
    isOfForeign = message.role === 'assistant' && isForeign(stored);
    if (!isOfForeign) return [{ message, stored }];
    return toPortable(message, portable).map((one) =>
      one === message ? { message, stored } : toItem(one as typeof message, { ...(from && { from }) }),
    );
  });
}

/** The calls of a message of the model. */
export function callsOf(item: StoredItem): readonly (AssistantPart & { readonly kind: 'call' })[] {
  if (item.kind !== 'message' || item.message.role !== 'assistant') return [];
  return item.message.parts.filter((part) => part.kind === 'call');
}
