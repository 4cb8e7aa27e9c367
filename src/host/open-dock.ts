import type { LoadedConfig } from '../config/load.js';
import { Dock } from '../connection/dock.js';
import type { HostOptions, Surroundings } from './host-options.js';
import type { Ports } from './ports.js';

/** What the connections of a host over that configuration share. */
export function openDock(
  { context: { env, platform, cwd, places } }: LoadedConfig,
  { embedded }: HostOptions,
  { clock, wall, control, tap }: Pick<Ports, 'clock' | 'wall'> & Surroundings,
): Dock {
  const { state, cache } = places;
  return new Dock({ env, platform, cwd, state, cache, clock, wall, ...(embedded && { embedded }), control, tap });
}
