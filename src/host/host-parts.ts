import type { HostConfig } from '../config/load.js';
import type { FolderLimits } from '../edge/spill/tidy-folder.js';
import type { ForkOptions, HostOptions, ProgramOptions } from './host-options.js';
import { Lanes } from '../lanes/lanes.js';
import { ProjectRoots } from './features/roots-feature.js';
import { hostCaller, type HostCallerParts } from './host-caller.js';
import { ServerCredentials } from './sign-in/server-credentials.js';
import { CallServices } from './calls/call-services.js';
import { openConnectionFactory } from './servers/open-connection-factory.js';
import { toResultLimits } from './configuration/result-limits.js';
import { withDefaults } from './ports.js';
import { Configuration } from './servers/configuration.js';
import { HostEmitter } from './servers/host-emitter.js';
import { LazyToolCalls } from './servers/lazy-tool-calls.js';
import { listingCaller } from './servers/listing-caller.js';
import type { ServerServices } from './servers/server.js';
import { Servers, type ServersOptions } from './servers/servers.js';
import { refuseUnknown, sharedServers } from './servers/shared-servers.js';

/** What a host is built on: events, configuration and servers. */
export interface HostParts {
  readonly services: ServerServices;
  readonly events: HostEmitter;
  /** Shared by a host and its forks. */
  readonly callServices: CallServices;
  readonly servers: Servers;
}

/** Each line uses only the parts above it. */
export function openParts(loaded: HostConfig, options: HostOptions, program: ProgramOptions): HostParts {
  const ports = withDefaults(options.ports);
  const events = new HostEmitter(ports.clock);
  const onProblem = (message: string): void => events.problem(message);
  const configuration = new Configuration({
    loaded,
    ports,
    onProblem,
    asksForConnectors: program.areConnectorsKnown !== true,
    watch: options.watch === false ? undefined : options,
  });
  const resultLimits = (): FolderLimits => toResultLimits(configuration.loaded.settings.results);
  const connectionFactory = openConnectionFactory(loaded, options, { ...ports, ...program, resultLimits });
  const { processes, spill: results } = connectionFactory;
  const identities = new ServerCredentials({ configuration, ports, processes, onProblem });
  const callServices = new CallServices({ configuration, events, ports, processes, results, own: options });
  const lanes = new Lanes({ clock: ports.clock, ...options.lanes });
  const services = { ports, connectionFactory, configuration, identities, toolCalls: new LazyToolCalls(), lanes };
  const servers = new Servers({
    services,
    events,
    options,
    program,
    ...callers({ ...services, events, callServices }, options),
  });
  return { services, events, callServices, servers };
}

/** Shares servers of the host, may add own ones, closes only those. Throws `unknown-server` and `config-invalid`. */
export function forkParts(
  parent: HostParts,
  host: HostOptions,
  { servers: wanted, mayLack, isForEveryFolder = false }: ForkOptions,
): HostParts {
  const { services: parentServices, callServices } = parent;
  const { ports, configuration: parentConfiguration } = parentServices;
  const { loaded } = parentConfiguration;
  if (wanted && mayLack !== true) refuseUnknown(wanted, parent.servers.states());
  const { names, config } = sharedServers(wanted);
  const events = new HostEmitter(ports.clock);
  const configuration = new Configuration({
    loaded: { ...loaded, servers: [], problems: [] },
    ports,
    onProblem: (message) => events.problem(message),
    own: config === undefined ? undefined : { config, options: { ...loaded.context.options, isForEveryFolder } },
  });
  const services = { ...parentServices, configuration };
  const servers = new Servers({
    services,
    events,
    options: host,
    parent: { servers: parent.servers, shared: names },
    ...callers({ ...services, events, callServices }, host),
  });
  return { services, events, callServices, servers };
}

function callers(
  parts: Omit<HostCallerParts, 'projectRoots'>,
  { serves = false }: Pick<HostOptions, 'serves'>,
): Pick<ServersOptions, 'callerFor'> {
  if (serves) return { callerFor: (_, server) => listingCaller(parts.configuration, server) };
  const projectRoots = new ProjectRoots();
  return { callerFor: (servers, server) => hostCaller({ ...parts, projectRoots }, servers, server) };
}
