import { HostError } from '../../base/errors.js';
import { nearest } from '../../base/nearest.js';
import type { RawEntry } from '../../transports/kind.js';

/** Names of servers to share, and entries of own servers by name, as the definition of an agent lists them. */
export type SharedServers = readonly (string | Readonly<Record<string, RawEntry>>)[];

export interface SharedServersView {
  /** Undefined: all. */
  readonly names: ReadonlySet<string> | undefined;
  /** The own servers as the text of a configuration file; undefined without any. */
  readonly config: string | undefined;
}

/** Throws `unknown-server` for a name that is neither a configured server nor one of the entries. */
export function refuseUnknown(servers: SharedServers, configured: readonly { readonly name: string }[]): void {
  const known = new Set(configured.map(({ name }) => name));
  const own = new Set(servers.flatMap((one) => (typeof one === 'string' ? [] : Object.keys(one))));
  const wanted = servers.filter((one) => typeof one === 'string');
  const lacking = wanted.find((name) => !known.has(name) && !own.has(name));
  if (lacking === undefined) return;
  const [close] = nearest(lacking, known);
  throw new HostError('unknown-server', `A fork is to share server "${lacking}", and none of that name is configured`, {
    hint: close === undefined ? 'plugboard list shows which there are' : `Did you mean ${close}?`,
  });
}

/** Shares all servers, unless the list has names or is empty; own entries add to them. Throws `config-invalid`. */
export function sharedServers(servers: SharedServers | undefined): SharedServersView {
  const names = (servers ?? []).filter((one) => typeof one === 'string');
  const entries = (servers ?? []).filter((one) => typeof one !== 'string');
  const isNamed = names.length > 0 || (servers !== undefined && servers.length === 0);
  return {
    names: isNamed ? new Set(names) : undefined,
    config: entries.length === 0 ? undefined : toConfig(Object.assign({}, ...entries) as Record<string, RawEntry>),
  };
}

function toConfig(mcpServers: Readonly<Record<string, RawEntry>>): string {
  try {
    return JSON.stringify({ mcpServers });
  } catch (cause) {
    throw new HostError('config-invalid', `An entry of a fork's own servers is no JSON: ${String(cause)}`, {
      hint: 'Write it as it would stand in .mcp.json',
      cause,
    });
  }
}
