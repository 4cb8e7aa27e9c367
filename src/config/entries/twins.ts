import { groupByKeys } from '../../model/grouped.js';
import { serverSpellings } from '../../model/permissions/subject.js';
import { scopeNames } from '../scope.js';
import type { ConfiguredServer } from './server.js';

/** A server of the user, the administrator or the account whose name a repository's server also has. */
export type Twin = Pick<ConfiguredServer, 'name' | 'scope' | 'origin' | 'accountOf'>;

/**
 * Adds `twins` to each server of a repository: permissions that name them do not apply to it. Names that become the
 * same in a tool's name count, too, whatever the standing of the twin: rules were written when it ran.
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

/** The twins that a repository's server replaces: weaker scopes; an account only if it is an account itself. */
export function shadowedTwins({ name, scope, accountOf, twins = [] }: ConfiguredServer): readonly Twin[] {
  const rank = scopeNames.indexOf(scope);
  const goesBefore = (twin: Twin): boolean => twin.accountOf === undefined || accountOf !== undefined;
  return twins.filter((twin) => twin.name === name && scopeNames.indexOf(twin.scope) > rank && goesBefore(twin));
}

function isBrought({ author }: ConfiguredServer): boolean {
  return author === 'repository';
}
