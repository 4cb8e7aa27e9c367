import type { LoadedConfig } from '../actions/action-place.js';
import { configuredStates } from '../actions/list.js';
import type { Host, ServerState } from '../index.js';
import type { Waited } from './open-host.js';
import type { Run } from './verb.js';

/** How all servers are, in their order. */
export interface Health<Seen> {
  readonly states: readonly ServerState[];
  readonly waited: Waited;
  readonly notes: readonly string[];
  /** What was looked at while the host was open; undefined where no server was asked. */
  readonly seen?: Seen;
}

export interface HealthOptions<Seen> extends Run {
  /** Only this one is started. */
  readonly only?: string;
  readonly look?: (host: Host) => Seen;
}

/** Asks the servers that may run, unless --no-connect says not to. */
export async function askServers<Seen>(
  loaded: LoadedConfig,
  { invocation, io, only, look }: HealthOptions<Seen>,
): Promise<Health<Seen>> {
  const isMeant = (name: string): boolean => only === undefined || name === only;
  const isReady = loaded.servers.some(({ name, standing }) => standing.kind === 'ready' && isMeant(name));
  if (invocation.has('no-connect') || !isReady) {
    return { states: await configuredStates(loaded), waited: { kind: 'settled' }, notes: [] };
  }
  const { withHost } = await import('./open-host.js');
  const { asWaited, reasonOf } = await import('../actions/waited-state.js');
  const named = only === undefined ? {} : { only: [only] };
  return withHost({ invocation, io, loaded, ...named, isReport: true }, async ({ host, settled, notes }) => {
    const waited = await settled();
    const states = host.servers().map((state) => asWaited(state, reasonOf(waited)));
    return { states, waited, notes, ...(look && { seen: look(host) }) };
  });
}
