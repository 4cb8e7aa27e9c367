import type { LoadedConfig } from '../config/load.js';
import { decidePolicy } from '../config/policy.js';
import type { ConfiguredServer } from '../config/server.js';
import { targetOf } from '../transports/kinds.js';

/**
 * A configuration as it was just read, with the servers of files that cannot be read at the moment as they were before: an
 * editor may be in the middle of saving, and a mistyped comma is no reason to end what runs. A file that is gone takes
 * its servers with it, and nothing is kept that the policies of now do not admit.
 */
export function keepLastGood(before: LoadedConfig, after: LoadedConfig): LoadedConfig {
  const broken = new Set(after.problems.filter(({ code }) => BROKEN.has(code)).map(({ file }) => file));
  const named = new Set(after.servers.map(({ name }) => name));
  const isKept = ({ name, origin, standing, config }: ConfiguredServer): boolean =>
    standing.kind === 'ready' &&
    broken.has(origin) &&
    !named.has(name) &&
    config !== undefined &&
    decidePolicy(after.policies, { name, target: targetOf(config) }).kind === 'admitted';
  const kept = before.servers.filter(isKept);
  if (kept.length === 0) return after;
  // What pins them stays, too: a half-saved file must not open what its lock has closed.
  const pinned = kept.flatMap(({ name }) => {
    const lock = before.locks.get(name);
    return lock && !after.locks.has(name) ? [[name, lock] as const] : [];
  });
  return { ...after, servers: [...after.servers, ...kept], locks: new Map([...after.locks, ...pinned]) };
}

const BROKEN: ReadonlySet<string> = new Set(['malformed', 'unreadable']);
