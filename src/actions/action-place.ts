import { HostError } from '../base/errors.js';
import { within } from '../base/within.js';
import { inside } from '../host/inside.js';
import type { ConfigContext } from '../config/context.js';
import type { HostConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/entries/server.js';
import type { Host } from '../host/host.js';

export type { ConfigContext, ConfiguredServer, HostConfig as LoadedConfig };

/** What an action works on: the files, where no server has to be started for it, or a host. */
export type ActionPlace = FilesPlace | HostPlace;

export interface FilesPlace {
  readonly kind: 'files';
  readonly config: ConfigContext;
  load(): Promise<HostConfig>;
}

export interface HostPlace {
  readonly kind: 'host';
  readonly host: Host;
  /** Opened for this action alone: the hosts where people work have to be told of what was done. */
  readonly isTransient: boolean;
  /** Of several definitions of one name the one that a face shows; undefined: the one that runs, or would. */
  readonly shown?: ConfiguredServer | undefined;
  /** The one server of a host that was opened for it, where the command line brought it: what it offers goes by its own name. */
  readonly adHoc?: string | undefined;
  /** Waits for what is given, and shows how far servers are; undefined where nobody watches them connect. Contract: never rejects. */
  readonly settled?: (what: Promise<unknown>) => Promise<Waited>;
}

/** How waiting for servers has ended. */
export type Waited =
  | { readonly kind: 'settled' }
  | { readonly kind: 'late'; readonly timeoutMs: number }
  | { readonly kind: 'interrupted' };

/** For an action that says `needs: 'host'`. */
export function hostOf(on: ActionPlace): HostPlace {
  if (on.kind === 'host') return on;
  throw new HostError('internal', 'An action that needs a host was given files');
}

/** Waits for servers as the face of a place does. Never rejects. */
export async function untilSettled(
  { settled }: Pick<HostPlace, 'settled'>,
  what: Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<Waited> {
  if (settled) return settled(what);
  const ended = what.then(
    () => true,
    () => true,
  );
  return (await within(ended, { signal, instead: () => false })) ? { kind: 'settled' } : { kind: 'interrupted' };
}

export function configOf(on: ActionPlace): ConfigContext {
  return on.kind === 'files' ? on.config : on.host[inside].loaded.context;
}

export async function loadedOf(on: ActionPlace): Promise<HostConfig> {
  return on.kind === 'files' ? on.load() : on.host[inside].loaded;
}

/** Every definition that was found, strongest first. */
export async function definitionsOf(on: ActionPlace): Promise<readonly ConfiguredServer[]> {
  return on.kind === 'host' ? on.host[inside].entries() : (await on.load()).servers;
}

/** What a name stands for: the definition that runs, or would. Rejects with `unknown-server` where there is none. */
export async function serverOf(on: ActionPlace, name: string): Promise<ConfiguredServer> {
  if (on.kind === 'host' && on.shown?.name === name) return on.shown;
  const found = (await definitionsOf(on)).filter((server) => server.name === name);
  const server = found.find(({ standing }) => standing.kind === 'ready') ?? found[0];
  if (server) return server;
  const { unknownServer } = await import('../config/edit/manage.js');
  throw unknownServer(await loadedOf(on), name);
}
