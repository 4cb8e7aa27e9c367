import { randomUUID } from '../../edge/random-hex.js';
import { HostError } from '../../base/errors.js';
import type { CallResult } from '../../host/host-options.js';
import { failed, refusedResult } from '../../model/failed-result.js';
import type { StoredItem } from '../journal.js';
import type { ToolCallPart } from '../message.js';
import { LineFault } from './session-error.js';

export interface PairedItems {
  readonly items: readonly StoredItem[];
  /** The item that was added because the process ended before the results of these calls were joined. */
  readonly added: Extract<StoredItem, { kind: 'results' }> | undefined;
}

/**
 * Checks that every call has its result and every result its call. Only the calls of the last assistant message may
 * lack results, since the process may have ended there: such a call gets the result that is there, or `unknown`.
 * Throws a `LineFault`.
 */
export function pairItems(items: readonly StoredItem[], loose: ReadonlyMap<string, CallResult>): PairedItems {
  const last = items.findLastIndex((item) => callsOf(item) !== undefined);
  const ids = new Set<string>();
  let added: PairedItems['added'];
  const paired = items.flatMap((item, at): StoredItem[] => {
    const before = items[at - 1];
    const calls = callsOf(item) ?? [];
    for (const { id } of calls) {
      if (ids.has(id)) throw new LineFault('two calls have the same id');
      ids.add(id);
    }
    if (item.kind === 'results') {
      checkResults(item.results, (before && callsOf(before)) ?? []);
      return [item];
    }
    if (calls.length === 0 || items[at + 1]?.kind === 'results') return [item];
    if (at !== last) throw new LineFault(`the call "${calls[0]!.id}" has no result`);
    const results = calls.map((call) => loose.get(call.id) ?? toLostResult(call));
    added = { kind: 'results', id: randomUUID(), results };
    return [item, added];
  });
  const answered = new Set(added?.results.map(({ callId }) => callId));
  for (const id of loose.keys()) if (!answered.has(id)) throw new LineFault(`the result "${id}" has no call`);
  return { items: paired, added };
}

/** The calls of an assistant message; undefined for anything else. */
function callsOf(item: StoredItem): readonly ToolCallPart[] | undefined {
  if (item.kind !== 'message' || item.message.role !== 'assistant') return undefined;
  return item.message.parts.filter((part) => part.kind === 'call');
}

function checkResults(results: readonly CallResult[], calls: readonly ToolCallPart[]): void {
  const isSame = results.length === calls.length && calls.every(({ id }, at) => results[at]!.callId === id);
  if (!isSame || calls.length === 0) throw new LineFault('results do not belong to the calls before them');
}

/** The result of a call after which the process ended. A call whose input could not be parsed was never made. */
function toLostResult({ id: callId, name, fault }: ToolCallPart): CallResult {
  const call = { server: undefined, tool: undefined, name, calledAs: name, callId, ms: 0 };
  if (fault !== undefined) {
    return { ...refusedResult(new HostError('bad-input', `The call of ${name} was not made: ${fault}`)), ...call };
  }
  const error = new HostError('cancelled', `Plugboard ended before the result of ${name} was known`, { hint: LOST });
  return { ...failed('unknown', error, 0), ...call };
}

const LOST =
  'The call may have been made or not, and is not made again by itself. Find out what it has done before you make it again';
