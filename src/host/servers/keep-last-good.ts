import type { HostConfig } from '../../config/load.js';
import { decidePolicy } from '../../config/policy/policy.js';
import { type PermissionMode, toPermissions } from '../../model/permissions/settings.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { serverTargetOf } from '../../transports/kinds.js';

/**
 * A newly read configuration, plus the previous servers of files that cannot be read at the moment: an editor may be
 * saving, and a mistyped comma must not end running servers. A deleted file takes its servers with it, and nothing is
 * kept that current policies do not admit.
 */
export function keepLastGood(before: HostConfig, after: HostConfig): HostConfig {
  const broken = new Set(after.problems.filter(({ code }) => BROKEN.has(code)).map(({ file }) => file));
  const named = new Set(after.servers.map(({ name }) => name));
  const isKept = ({ name, origin, standing, config }: ConfiguredServer): boolean =>
    standing.kind === 'ready' &&
    broken.has(origin) &&
    !named.has(name) &&
    config !== undefined &&
    decidePolicy(after.policies, { name, target: serverTargetOf(config) }).kind === 'admitted';
  const kept = before.servers.filter(isKept);
  const calls = keepStops(before, after, broken);
  if (kept.length === 0) return calls;
  // Their pins are kept, too: a half-saved file must not lift what its lock blocks.
  const pinned = kept.flatMap(({ name }) => {
    const lock = before.locks.get(name);
    return lock && !after.locks.has(name) ? [[name, lock] as const] : [];
  });
  return { ...calls, servers: [...after.servers, ...kept], locks: new Map([...after.locks, ...pinned]) };
}

/** Keeps what an unreadable file forbade (a file is empty for a moment while it is saved), not what it permitted. */
function keepStops(before: HostConfig, after: HostConfig, broken: ReadonlySet<string>): HostConfig {
  const { rules, modes } = before.permissions;
  const keptRules = rules.filter(({ file, list }) => broken.has(file) && list !== 'allow');
  const keptModes = modes.filter(({ file, mode }) => broken.has(file) && !WIDENING.has(mode));
  const hooks = before.hooks.filter(({ file }) => broken.has(file));
  if (keptRules.length + keptModes.length + hooks.length === 0) return after;
  const { permissions } = after;
  return {
    ...after,
    permissions: toPermissions({
      rules: [...permissions.rules, ...keptRules],
      modes: [...permissions.modes, ...keptModes],
      doubts: permissions.doubts,
    }),
    hooks: [...after.hooks, ...hooks],
  };
}

const WIDENING: ReadonlySet<PermissionMode> = new Set<PermissionMode>(['bypass', 'auto-read']);

const BROKEN: ReadonlySet<string> = new Set(['malformed', 'unreadable']);
