import type { CallResult } from '../../host/host-options.js';
import { toMatches } from '../../model/profiles/result-parts.js';
import { type ConversationItem, toItem, toResultsItem } from '../conversation-items.js';
import type { ToolCallPart } from '../message.js';

export const TOOL_SEARCH = 'ToolSearch';

export interface KeptSearchesOptions {
  /** The most tokens of what is kept. */
  readonly budget: number;
  readonly tokensOf: (item: ConversationItem) => number;
  readonly write: (results: readonly CallResult[]) => readonly object[];
}

/**
 * The searches whose definitions the model knows from messages alone, newest last, as one message and its results:
 * without them it could not call what it has found. Those that newer ones repeat, and the oldest beyond the budget, are
 * left out: the model can search again.
 */
export function keptSearches(
  items: readonly ConversationItem[],
  { budget, tokensOf, write }: KeptSearchesOptions,
): readonly ConversationItem[] {
  const known = new Set<string>();
  const kept: Search[] = [];
  for (const search of searchesOf(items).toReversed()) {
    if (search.names.every((name) => known.has(name))) continue;
    const pair = toPair([search, ...kept], write);
    if (pair.reduce((sum, item) => sum + tokensOf(item), 0) > budget) break;
    for (const name of search.names) known.add(name);
    kept.unshift(search);
  }
  return kept.length === 0 ? [] : toPair(kept, write);
}

interface Search {
  readonly call: ToolCallPart;
  readonly result: CallResult;
  /** The tools that it found. */
  readonly names: readonly string[];
}

function searchesOf(items: readonly ConversationItem[]): readonly Search[] {
  return items.flatMap(({ stored }, at) => {
    if (stored.kind !== 'results') return [];
    const before = items[at - 1]?.message;
    const parts = before?.role === 'assistant' ? before.parts : [];
    return stored.results.flatMap((result): Search[] => {
      const call = parts.find((part) => part.kind === 'call' && part.id === result.callId);
      const names = result.name === TOOL_SEARCH && result.outcome === 'ok' ? toMatches(result) : [];
      return call?.kind === 'call' && names.length > 0 ? [{ call, result, names }] : [];
    });
  });
}

function toPair(searches: readonly Search[], write: KeptSearchesOptions['write']): readonly ConversationItem[] {
  return [
    toItem({ role: 'assistant', parts: searches.map(({ call }) => call) }),
    toResultsItem(
      searches.map(({ result }) => result),
      write,
    ),
  ];
}
