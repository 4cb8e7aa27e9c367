import type { LoadedConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/server.js';

/**
 * A configuration as it was just read, with the servers of files that cannot be read at the moment as they were before: an
 * editor may be in the middle of saving, and a mistyped comma is no reason to end what runs. A file that is gone takes
 * its servers with it, and a policy that cannot be understood keeps nothing alive.
 */
export function keepLastGood(before: LoadedConfig, after: LoadedConfig): LoadedConfig {
  const problems = after.problems.filter(({ severity }) => severity === 'error');
  if (problems.some(({ code }) => code === 'policy-closed')) return after;
  const broken = new Set(problems.filter(({ code }) => BROKEN.has(code)).map(({ file }) => file));
  const named = new Set(after.servers.map(({ name }) => name));
  const isKept = ({ name, origin, standing }: ConfiguredServer): boolean =>
    standing.kind === 'ready' && !named.has(name) && broken.has(origin);
  const kept = before.servers.filter(isKept);
  return kept.length === 0 ? after : { ...after, servers: [...after.servers, ...kept] };
}

const BROKEN: ReadonlySet<string> = new Set(['malformed', 'unreadable']);
