import { programEnvironment } from '../../config/risks/private-places.js';
import type { HostConfig } from '../../config/load.js';
import { ConnectionFactory, type ConnectionFactoryOptions } from '../../connection/connection-factory.js';
import type { HostOptions, ProgramOptions } from '../host-options.js';
import type { Ports } from '../ports.js';

interface FactoryPorts extends Pick<Ports, 'clock' | 'wall'>, ProgramOptions {
  readonly resultLimits: ConnectionFactoryOptions['resultLimits'];
}

/** What all connections of a host share. */
export function openConnectionFactory(
  loaded: HostConfig,
  { embedded }: HostOptions,
  { clock, wall, control, tap, resultLimits }: FactoryPorts,
): ConnectionFactory {
  const { env, platform, cwd, places } = loaded.context;
  const { state, cache } = places;
  const programPath = (): string | undefined => programEnvironment(loaded)['PATH'];
  const own = { env, programPath, platform, cwd, state, cache, resultLimits };
  return new ConnectionFactory({ ...own, clock, wall, ...(embedded && { embedded }), control, tap });
}
