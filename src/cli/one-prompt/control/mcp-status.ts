import { connectionsOf } from '../../../actions/running-server.js';
import type { DefinedTool, Host, ServerState } from '../../../index.js';
import { gateLine } from '../../../model/text/text-gate.js';

/** The words of published agent SDKs for the state of a server. */
export type DriverStatus = 'connected' | 'failed' | 'needs-auth' | 'pending' | 'disabled';

/** The state of each server in the shape of agent SDKs: one for each name, with its tools and its masked entry. */
export async function toStatuses(host: Host): Promise<readonly object[]> {
  const infos = new Map(connectionsOf(host).map(({ name, catalog }) => [name, catalog.server]));
  const tools = await host.tools({ definitions: true });
  const seen = new Set<string>();
  return host.state().servers.flatMap((state) => {
    const { name, scope, error, config, status } = state;
    if (status === 'duplicate' || seen.has(name)) return [];
    seen.add(name);
    const word = toDriverStatus(status);
    const info = infos.get(name);
    return [
      {
        name,
        status: word,
        scope,
        source: driverSourceOf(state),
        ...(info && { serverInfo: { name: gateLine(info.name).text, version: gateLine(info.version).text } }),
        ...errorOf(state),
        ...(config && { config }),
        ...(word === 'connected' && { tools: tools.filter(({ server }) => server === name).map(toTool) }),
        ...(error && { errorCode: error.code }),
      },
    ];
  });
}

export function toDriverStatus(status: ServerState['status']): DriverStatus {
  return STATUSES[status];
}

/** Where a server is from, in the words of agent SDKs, as far as they have one. */
export function driverSourceOf({ scope, transport }: Pick<ServerState, 'scope' | 'transport'>): string {
  if (transport === 'sdk') return 'sdk';
  return scope === 'connectors' ? 'claudeai' : scope;
}

/** A server that may not run is told why. */
function errorOf({ status, error }: ServerState): { readonly error?: string } {
  if (error) return { error: gateLine(error.message).text };
  const why = WHY[status];
  return why === undefined ? {} : { error: why };
}

function toTool({ tool, description, hints }: Defined): object {
  const { readOnly, destructive, openWorld } = hints;
  return { name: tool, ...(description !== '' && { description }), annotations: { readOnly, destructive, openWorld } };
}

type Defined = Pick<DefinedTool, 'tool' | 'description' | 'hints'>;

const STATUSES: Readonly<Record<ServerState['status'], DriverStatus>> = {
  connected: 'connected',
  idle: 'pending',
  pending: 'pending',
  reconnecting: 'pending',
  configured: 'pending',
  'needs-auth': 'needs-auth',
  failed: 'failed',
  invalid: 'failed',
  disabled: 'disabled',
  unapproved: 'disabled',
  denied: 'disabled',
  duplicate: 'disabled',
};

const WHY: Partial<Record<ServerState['status'], string>> = {
  unapproved: 'the server is not approved',
  denied: 'a policy denies the server',
  invalid: 'the entry of the server is invalid',
};
