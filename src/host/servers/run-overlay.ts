import type { HostConfig } from '../../config/load.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import {
  OF_THE_PROGRAM,
  type PermissionMode,
  toPermissions,
  type WrittenRule,
} from '../../model/permissions/settings.js';

/** What a program changes while its host runs. It is over with the host: no file is written. */
export interface RunOverlay {
  /** In place of the mode of flags and files; the administrator's stays stronger. */
  readonly mode?: PermissionMode | undefined;
  /** Beside the rules of flags and files, as strong as those of flags: what any of these denies stays denied. */
  readonly rules: readonly WrittenRule[];
  /** Servers beside the configured ones, under names that these do not have. */
  readonly servers: readonly ConfiguredServer[];
}

export const NO_OVERLAY: RunOverlay = { rules: [], servers: [] };

/** The configuration with what the program has changed. */
export function withOverlay(loaded: HostConfig, { mode, rules, servers }: RunOverlay): HostConfig {
  const hasPermissions = mode !== undefined || rules.length > 0;
  if (!hasPermissions && servers.length === 0) return loaded;
  const taken = new Set(loaded.servers.map(({ name }) => name));
  const { permissions } = loaded;
  return {
    ...loaded,
    servers: [...loaded.servers, ...servers.filter(({ name }) => !taken.has(name))],
    ...(hasPermissions && {
      permissions: toPermissions({
        ...permissions,
        rules: [...permissions.rules, ...rules],
        modes:
          mode === undefined
            ? permissions.modes
            : [
                ...permissions.modes.filter(({ source, server }) => source !== 'flag' || server !== undefined),
                { mode, source: 'flag', file: OF_THE_PROGRAM },
              ],
      }),
    }),
  };
}
