import { inside } from '../../host/inside.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import type { StatusWord } from '../../host/servers/server-state.js';
import { type HostPlace, serverOf } from '../action-place.js';

/** What decides whether an action applies to a server. */
export interface ServerFacts {
  readonly server: ConfiguredServer;
  /** Undefined when no host knows the server. */
  readonly status: StatusWord | undefined;
  readonly canSignIn: boolean;
}

/** Rejects with `unknown-server` when no definition has that name. */
export async function factsOf(on: HostPlace, name: string): Promise<ServerFacts> {
  const server = await serverOf(on, name);
  const { host } = on;
  const state = host
    .servers()
    .find((one) => one.name === name && one.scope === server.scope && one.origin === server.origin);
  const credentials = server.standing.kind === 'ready' ? host[inside].server(name)?.server.credentials : undefined;
  return { server, status: state?.status, canSignIn: credentials?.canSignIn === true };
}
