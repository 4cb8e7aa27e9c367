import type { LoadedConfig } from '../config/load.js';
import type { Host } from '../host/host.js';
import type { HostOptions, Surroundings } from '../host/host-options.js';
import { inside } from '../host/inside.js';

/** Opens a host over a configuration that was read already. */
export type OpenHost = (loaded: LoadedConfig, options: HostOptions, surroundings?: Surroundings) => Host;

/** Loads what a host is made of: once for a run that needs one, and not before. */
export async function loadHost(): Promise<OpenHost> {
  const { Host: loaded } = await import('../host/host.js');
  return (...given) => loaded[inside](...given);
}
