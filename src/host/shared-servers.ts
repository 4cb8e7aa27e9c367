import type { RawEntry } from '../transports/kind.js';

/** Names of servers that are shared, and entries of own ones by name: as an agent's definition lists them. */
export type SharedServers = readonly (string | Readonly<Record<string, RawEntry>>)[];

export interface SharedServersView {
  /** Undefined: all. */
  readonly names: ReadonlySet<string> | undefined;
  readonly entries: Readonly<Record<string, RawEntry>>;
}

/** Without a name in the list every server is shared; a list of own ones alone adds to them. */
export function sharedServers(servers: SharedServers | undefined): SharedServersView {
  const names = (servers ?? []).filter((one) => typeof one === 'string');
  const entries = (servers ?? []).filter((one) => typeof one !== 'string');
  const isNamed = names.length > 0 || (servers !== undefined && servers.length === 0);
  return {
    names: isNamed ? new Set(names) : undefined,
    entries: Object.assign({}, ...entries) as SharedServersView['entries'],
  };
}
