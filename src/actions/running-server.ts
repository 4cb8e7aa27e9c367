import type { ConfiguredServer } from '../config/entries/server.js';
import type { Catalog } from '../connection/catalog/catalog.js';
import type { ServerLifecycle } from '../connection/server-lifecycle.js';
import type { Host } from '../host/host.js';
import { inside } from '../host/inside.js';
import type { ProfileName } from '../model/profiles/profile.js';
import type { CostReport } from '../model/view/tool-cost.js';

/** What a face may see of a running server: live state to read, and promises to wait for. */
export type RunningServer = Pick<ServerLifecycle, 'name' | 'status' | 'listProblems' | 'settled' | 'decided'> & {
  readonly catalog: RunningCatalog;
};

export type RunningCatalog = Pick<
  Catalog,
  | 'capabilities'
  | 'count'
  | 'instructions'
  | 'isFetching'
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

/** Undefined when no definition of that name runs. */
export function runningServer(host: Host, name: string): RunningServer | undefined {
  return host[inside].server(name);
}

export function runningServers(host: Host): readonly RunningServer[] {
  return connectionsOf(host);
}

/** The servers as `ServerLifecycle`, with all operations: for this room only. */
export function connectionsOf(host: Host): readonly ServerLifecycle[] {
  const names = new Set(host.servers().map(({ name }) => name));
  return [...names].flatMap((name) => host[inside].server(name) ?? []);
}

/** Every definition found, strongest first, with its standing. */
export function configuredServers(host: Host): readonly ConfiguredServer[] {
  return host[inside].entries();
}

export function canSignInTo(host: Host, name: string): boolean {
  return host[inside].server(name)?.server.credentials?.canSignIn === true;
}

/** Milliseconds until the next attempt; 0 while one is being made; undefined when the server is not reconnecting. */
export function retryInMs(host: Host, name: string): number | undefined {
  const server = host[inside].server(name);
  if (server?.status.kind !== 'reconnecting') return undefined;
  return Math.max(0, server.status.retryAt - server.clock.monotonic());
}

/** Has every lost server try again now. */
export function retryLostServers(host: Host): void {
  for (const server of connectionsOf(host)) server.retryNow();
}

/** Starts a lazy server for its first use. */
export function startIdle(server: ServerLifecycle | undefined): void {
  if (server?.status.kind === 'idle') server.start('use');
}

/**
 * What tools and servers would cost in a conversation with this model that began now: the count that every face shows.
 * `model`: undefined where none is chosen yet.
 */
export function contextCost(
  host: Host,
  model?: { readonly profile: ProfileName; readonly contextTokens: number },
): CostReport {
  return host[inside].cost(model?.profile ?? 'anthropic', model ? { contextTokens: model.contextTokens } : {});
}
