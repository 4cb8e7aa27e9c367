import { HostError } from '../base/errors.js';
import { inside } from '../host/inside.js';
import type { ConfigContext } from '../config/context.js';
import type { HostConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/entries/server.js';
import type { Host } from '../host/host.js';

export type { ConfigContext, ConfiguredServer, HostConfig as LoadedConfig };

/** What an action works on: the configuration files, when no server has to run, or an open host. */
export type ActionPlace = FilesPlace | HostPlace;

export interface FilesPlace {
  readonly kind: 'files';
  readonly config: ConfigContext;
  load(): Promise<HostConfig>;
}

export interface HostPlace {
  readonly kind: 'host';
  readonly host: Host;
  /** The host was opened for this action alone: other running hosts must be notified of changes. */
  readonly isTransient: boolean;
  /** The definition that a face shows when several have the same name; undefined: the one that runs or would run. */
  readonly shown?: ConfiguredServer | undefined;
  /** The host's only server, defined on the command line: its tools and prompts are named without a server prefix. */
  readonly adHoc?: string | undefined;
}

/** The host of an action with `needs: 'host'`. Throws `internal` when the action got files. */
export function hostOf(on: ActionPlace): HostPlace {
  if (on.kind === 'host') return on;
  throw new HostError('internal', 'An action that needs a host was given files');
}

export function configOf(on: ActionPlace): ConfigContext {
  return on.kind === 'files' ? on.config : on.host[inside].loaded.context;
}

export async function loadedOf(on: ActionPlace): Promise<HostConfig> {
  return on.kind === 'files' ? on.load() : on.host[inside].loaded;
}

/** Every definition found, strongest first. */
export async function definitionsOf(on: ActionPlace): Promise<readonly ConfiguredServer[]> {
  return on.kind === 'host' ? on.host[inside].entries() : (await on.load()).servers;
}

/** The definition that a face shows, else the one that runs or would run. Rejects with `unknown-server`. */
export async function serverOf(on: ActionPlace, name: string): Promise<ConfiguredServer> {
  if (on.kind === 'host' && on.shown?.name === name) return on.shown;
  const found = (await definitionsOf(on)).filter((server) => server.name === name);
  const server = found.find(({ standing }) => standing.kind === 'ready') ?? found[0];
  if (server) return server;
  const { unknownServer } = await import('../config/edit/manage.js');
  throw unknownServer(await loadedOf(on), name);
}
