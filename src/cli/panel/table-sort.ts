import { unreachable } from '../../base/never.js';
import type { PanelServer } from './panel-data.js';
import { stateWord } from './state-words.js';
import { stateRank } from './table-rows.js';

export const tableSorts = ['listed', 'name', 'state', 'tools', 'tokens', 'ms'] as const;

/** The order of the servers. Names and states go up, numbers go down: the most expensive first. */
export interface TableSort {
  /** `listed`: in the order of `plugboard list`. */
  readonly by: (typeof tableSorts)[number];
  readonly isReversed: boolean;
}

export function sortServers(servers: readonly PanelServer[], { by, isReversed }: TableSort): readonly PanelServer[] {
  if (by === 'listed') return isReversed ? servers.toReversed() : servers;
  // Stable: equal servers stay in the order of the list.
  const sorted = servers.toSorted((one, other) => compare(one, other, by));
  return isReversed ? sorted.toReversed() : sorted;
}

export function nextSort({ by }: TableSort): TableSort {
  return { by: tableSorts[(tableSorts.indexOf(by) + 1) % tableSorts.length]!, isReversed: false };
}

/** `sorted by tokens`, `sorted by name, reversed`; empty for the order of the list. */
export function sortText({ by, isReversed }: TableSort): string {
  if (by === 'listed') return isReversed ? 'reversed' : '';
  return `sorted by ${by}${isReversed ? ', reversed' : ''}`;
}

function compare(one: PanelServer, other: PanelServer, by: Exclude<TableSort['by'], 'listed'>): number {
  switch (by) {
    case 'name':
      return one.state.name.localeCompare(other.state.name);
    case 'state':
      return stateRank(stateWord(one).word) - stateRank(stateWord(other).word);
    case 'tools':
      return down(one.state.tools, other.state.tools);
    case 'ms':
      return down(one.state.ms, other.state.ms);
    case 'tokens':
      return down(tokensOf(one), tokensOf(other));
    default:
      return unreachable(by);
  }
}

function tokensOf({ tokens }: PanelServer): number | null {
  return tokens ? tokens.loaded + tokens.deferred : null;
}

/** What is not known comes last. */
function down(one: number | null, other: number | null): number {
  return (other ?? -1) - (one ?? -1);
}
