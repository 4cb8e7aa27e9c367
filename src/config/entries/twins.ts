import { groupByKeys } from '../../model/grouped.js';
import { serverSpellings } from '../../model/permissions/subject.js';
import { scopeNames } from '../scope.js';
import type { ConfiguredServer } from './server.js';

/** A server that the user has, or their administrator or account, and that a repository's server has the name of. */
export type Twin = Pick<ConfiguredServer, 'name' | 'scope' | 'origin' | 'accountOf'>;

/**
 * Tells of each server of a repository which others have its name: what is permitted to those by name is not permitted to it. Names
 * that read the same in a tool's name count as well, and whatever became of the other one: rules were written when it ran.
 */
export function withTwins(servers: readonly ConfiguredServer[]): readonly ConfiguredServer[] {
  if (!servers.some(isBrought)) return servers;
  const twins = servers
    .filter((server) => !isBrought(server))
    .map(({ name, scope, origin, accountOf }): Twin => {
      return { name, scope, origin, ...(accountOf !== undefined && { accountOf }) };
    });
  const owners = groupByKeys(twins, ({ name }) => serverSpellings(name));
  if (owners.size === 0) return servers;
  return servers.map((server) => {
    const found = isBrought(server) ? serverSpellings(server.name).flatMap((one) => owners.get(one) ?? []) : [];
    return found.length === 0 ? server : { ...server, twins: [...new Set(found)] };
  });
}

/** Those that do not run once the repository's server does: it comes before them. Before an account comes only another account. */
export function shadowedTwins({ name, scope, accountOf, twins = [] }: ConfiguredServer): readonly Twin[] {
  const rank = scopeNames.indexOf(scope);
  const goesBefore = (twin: Twin): boolean => twin.accountOf === undefined || accountOf !== undefined;
  return twins.filter((twin) => twin.name === name && scopeNames.indexOf(twin.scope) > rank && goesBefore(twin));
}

function isBrought({ author }: ConfiguredServer): boolean {
  return author === 'repository';
}
