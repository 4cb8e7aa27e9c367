import type { HostConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/entries/server.js';
import type { Catalog } from '../connection/catalog/catalog.js';
import type { ServerLifecycle } from '../connection/server-lifecycle.js';
import type { Host } from '../host/host.js';
import { inside } from '../host/inside.js';

/** What a face may see of a server that runs, as it is at any moment: to read, and to wait for. */
export type RunningServer = Pick<ServerLifecycle, 'name' | 'status' | 'listProblems' | 'settled' | 'decided'> & {
  readonly catalog: RunningCatalog;
};

/** What a server offers, as far as it is known. */
export type RunningCatalog = Pick<
  Catalog,
  | 'capabilities'
  | 'count'
  | 'instructions'
  | 'isAwaited'
  | 'prompt'
  | 'prompts'
  | 'resource'
  | 'resources'
  | 'server'
  | 'source'
  | 'template'
  | 'templates'
  | 'toolDefinitions'
  | 'tool'
  | 'toolColumns'
  | 'tools'
  | 'warnings'
>;

/** Undefined where no definition of that name runs. */
export function runningServer(host: Host, name: string): RunningServer | undefined {
  return host[inside].server(name);
}

export function runningServers(host: Host): readonly RunningServer[] {
  return connectionsOf(host);
}

/** The same with all that a connection can do: for this room alone. */
export function connectionsOf(host: Host): readonly ServerLifecycle[] {
  const names = new Set(host.servers().map(({ name }) => name));
  return [...names].flatMap((name) => host[inside].server(name) ?? []);
}

/** Every definition that was found, strongest first, as it is written and judged. */
export function configuredServers(host: Host): readonly ConfiguredServer[] {
  return host[inside].entries();
}

/** Whether a person can sign in to it. */
export function canSignInTo(host: Host, name: string): boolean {
  return host[inside].server(name)?.server.credentials?.canSignIn === true;
}

/** Of a server that is away: how long until the next attempt to reach it. 0: one is being made. */
export function retryInMs(host: Host, name: string): number | undefined {
  const connection = host[inside].server(name);
  if (connection?.status.kind !== 'reconnecting') return undefined;
  return Math.max(0, connection.status.retryAt - connection.clock.monotonic());
}

/** Starts a lazy server for its first use. */
export function startIdle(server: ServerLifecycle | undefined): void {
  if (server?.status.kind === 'idle') server.start('use');
}

/** Whether models search for tools, or are told all of them: the user's setting. */
export function toolSearchOf(host: Host): HostConfig['settings']['toolSearch'] {
  return host[inside].loaded.settings.toolSearch;
}
