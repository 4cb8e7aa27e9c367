import { groupByKeys } from '../grouped.js';
import { SEPARATOR } from './rule.js';
import { serverSpellings } from './subject.js';

/**
 * Finds the servers whose rules could be confused with another server's, without comparing every pair: tool names of
 * two servers begin alike only if equal up to their first `__`. `longerNames` and `areRivals` decide among these.
 */
export function nameHeads(servers: Iterable<string>): (server: string) => ReadonlySet<string> {
  const byHead = groupByKeys(servers, headsOf);
  return (server) => new Set(headsOf(server).flatMap((head) => byHead.get(head) ?? []));
}

function headsOf(server: string): readonly string[] {
  return serverSpellings(server).map((spelling) => {
    const start = spelling + SEPARATOR;
    return start.slice(0, start.indexOf(SEPARATOR));
  });
}
