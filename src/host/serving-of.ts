import type { Dock } from '../connection/dock.js';
import { SKILLS_CAPABILITY } from '../connection/remote-skill.js';
import type { Keepers } from './keepers.js';
import { namesFolders } from './named-folders.js';
import type { Ports } from './ports.js';
import { samplingPermit, samplingSubject } from './sampling-permission.js';
import { servingQuestions } from './server-questions.js';
import { servingRoots } from './serve-roots.js';
import { type SamplingOptions, servingSampling } from './serve-sampling.js';
import { mergeServing, type Serving } from './serving.js';
import type { Configuration } from './servers/configuration.js';
import type { HostEmitter } from './servers/host-emitter.js';
import type { Server } from './servers/server.js';
import type { Servers } from './servers/servers.js';

export interface ServingParts {
  readonly ports: Ports;
  readonly dock: Dock;
  readonly configuration: Configuration;
  readonly events: HostEmitter;
  readonly keepers: Keepers;
}

/**
 * What a host does for its servers: it answers questions to the user, says where the project is, and lends its model. Questions are
 * declared also where nobody is there to answer, and are declined then: what a server offers does not hang on who looks.
 */
export function servingBy(parts: ServingParts): (servers: Servers) => (server: Server) => Serving {
  const { ports, dock, configuration, events, keepers } = parts;
  return (servers) => (server) => ({
    ...mergeServing([
      { capabilities: SKILLS_CAPABILITY },
      servingQuestions({
        server: server.name,
        answer: (question, signal) => keepers.elicitor.ask(question, signal),
        check: (schema, value) => dock.check(schema, value),
        originOf: () => server.pageOrigin,
        onProblem: (message) => events.problem(message),
      }),
      servingRoots({ context: configuration.loaded.context, roots: rootsFor(server, configuration) }),
      servingSampling({
        server: server.name,
        model: ports.model,
        permit: toSamplingPermit(keepers, servers, server),
        clock: ports.clock,
        stretch: () => server.stretch,
      }),
    ]),
    onNotification: (method, params) => keepers.elicitor.hear(server.name, method, params),
  });
}

/** Whether a server may use the model is decided by what is written and said as of then. */
function toSamplingPermit({ guard }: Keepers, { names }: Servers, server: Server): SamplingOptions['permit'] {
  return samplingPermit({
    guard,
    subject: () =>
      samplingSubject({
        server: server.name,
        entry: server.entry,
        servers: [...names.names],
        isConnector: server.isConnector,
        rivals: names.rivalsOf(server.name),
      }),
    serverHash: () => server.current?.hash,
  });
}

/** What the entry says, if it says anything. */
function rootsFor({ entry: { config } }: Server, { loaded }: Configuration): false | readonly string[] | undefined {
  if (!config || config.roots !== undefined) return config?.roots;
  return namesFolders(config, loaded.context.cwd) ? false : undefined;
}
