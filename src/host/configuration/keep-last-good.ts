import type { HostConfig } from '../../config/load.js';
import { decidePolicy } from '../../config/policy/policy.js';
import { keepUnread } from '../../config/policy/gateway-parse.js';
import { claimsName } from '../../config/resolve.js';
import { localFile } from '../../config/scopes/local.js';
import { userFile } from '../../config/scopes/user.js';
import { flowModes } from '../../model/flow/flow-settings.js';
import { type PermissionMode, toPermissions } from '../../model/permissions/settings.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { serverTargetOf } from '../../transports/kinds.js';

/**
 * A newly read configuration, plus the previous servers of files that cannot be read at the moment: an editor may be
 * saving, and a mistyped comma must not end running servers. A deleted file takes its servers with it, and nothing is
 * kept that current policies do not admit. So are the settings of the gateway, whose clients would find nothing.
 */
export function keepLastGood(before: HostConfig, after: HostConfig): HostConfig {
  const broken = new Set(after.problems.filter(({ code }) => BROKEN.has(code)).map(({ file }) => file));
  // An entry that may not run, such as a repository's that nobody has approved, takes the place of none.
  const named = new Set(after.servers.filter(claimsName).map(({ name }) => name));
  const isKept = ({ name, origin, standing, config }: ConfiguredServer): boolean =>
    standing.kind === 'ready' &&
    broken.has(origin) &&
    !named.has(name) &&
    config !== undefined &&
    decidePolicy(after.policies, { name, target: serverTargetOf(config) }).kind === 'admitted';
  const kept = before.servers.filter(isKept);
  const calls = keepGateway(before, keepFlow(before, keepStops(before, after, broken), broken), broken);
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

/** Without its file the flow guard may be off. What it lets through is not kept. */
function keepFlow(before: HostConfig, after: HostConfig, broken: ReadonlySet<string>): HostConfig {
  const { mode } = before.flow;
  const files = [userFile(after.context), localFile(after.context)];
  if (mode === undefined || mode === 'off' || !files.some((file) => file !== undefined && broken.has(file)))
    return after;
  const now = after.flow.mode;
  if (now !== undefined && flowModes.indexOf(now) >= flowModes.indexOf(mode)) return after;
  return { ...after, flow: { ...after.flow, mode } };
}

function keepGateway(before: HostConfig, after: HostConfig, broken: ReadonlySet<string>): HostConfig {
  const { gateway } = before.settings;
  const file = userFile(after.context);
  if (!gateway) return after;
  if (after.settings.gateway)
    return { ...after, settings: { ...after.settings, gateway: keepUnread(gateway, after.settings.gateway) } };
  if (file === undefined || !broken.has(file)) return after;
  return { ...after, settings: { ...after.settings, gateway } };
}

const WIDENING: ReadonlySet<PermissionMode> = new Set<PermissionMode>(['bypass', 'auto-read']);

const BROKEN: ReadonlySet<string> = new Set(['malformed', 'unreadable']);
