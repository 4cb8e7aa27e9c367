import { HostError } from '../base/errors.js';
import { inside } from '../host/inside.js';
import type { ConfigContext } from '../config/context.js';
import type { LoadedConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/server.js';
import type { Host } from '../host/host.js';

export type { ConfigContext, ConfiguredServer, LoadedConfig };

/** What an action works on: the files, where no server has to be started for it, or a host. */
export type ActionPlace = FilesPlace | HostPlace;

export interface FilesPlace {
  readonly kind: 'files';
  readonly config: ConfigContext;
  load(): Promise<LoadedConfig>;
}

export interface HostPlace {
  readonly kind: 'host';
  readonly host: Host;
  /** Opened for this action alone: the hosts where people work have to be told of what was done. */
  readonly isTransient: boolean;
  /** Of several definitions of one name the one that a face shows; undefined: the one that runs, or would. */
  readonly shown?: ConfiguredServer | undefined;
}

export function configOf(on: ActionPlace): ConfigContext {
  return on.kind === 'files' ? on.config : on.host[inside].loaded.context;
}

export async function loadedOf(on: ActionPlace): Promise<LoadedConfig> {
  return on.kind === 'files' ? on.load() : on.host[inside].loaded;
}

/** What a name stands for: the definition that runs, or would. Rejects with `unknown-server` where there is none. */
export async function serverOf(on: ActionPlace, name: string): Promise<ConfiguredServer> {
  if (on.kind === 'host' && on.shown?.name === name) return on.shown;
  const definitions = on.kind === 'host' ? on.host[inside].definitions() : (await on.load()).servers;
  const found = definitions.filter((server) => server.name === name);
  const server = found.find(({ standing }) => standing.kind === 'ready') ?? found[0];
  if (server) return server;
  const { unknownServer } = await import('../config/manage.js');
  throw unknownServer(await loadedOf(on), name);
}

/** For an action that says `needs: 'host'`. */
export function hostOf(on: ActionPlace): HostPlace {
  if (on.kind === 'host') return on;
  throw new HostError('internal', 'An action that needs a host was given files');
}
