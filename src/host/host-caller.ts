import type { JsonObject } from '../base/json.js';
import type { ConnectionFactory } from '../connection/connection-factory.js';
import { SKILLS_CAPABILITY } from '../connection/catalog/skill-definition.js';
import { relayedCapabilities } from '../lanes/relayed-capabilities.js';
import type { Caller } from '../model/caller.js';
import { JsonRpcFailure } from '../wire/inbound.js';
import type { CallServices } from './calls/call-services.js';
import { namesFolders } from './configuration/named-folders.js';
import type { Ports } from './ports.js';
import { samplingPermit, samplingSubject } from './features/sampling-permission.js';
import { elicitationFeature } from './features/elicitation-feature.js';
import { findRoots, type ProjectRoots, rootsFeature } from './features/roots-feature.js';
import { type SamplingOptions, samplingFeature } from './features/sampling-feature.js';
import { mergeClientFeatures } from './features/client-features.js';
import type { Configuration } from './servers/configuration.js';
import type { HostEmitter } from './servers/host-emitter.js';
import type { Server } from './servers/server.js';
import { hasLane } from './servers/server-line.js';
import type { Servers } from './servers/servers.js';

export interface HostCallerParts {
  readonly ports: Ports;
  readonly connectionFactory: ConnectionFactory;
  readonly configuration: Configuration;
  readonly events: HostEmitter;
  readonly callServices: CallServices;
  readonly projectRoots: ProjectRoots;
}

/** The caller of calls that name no other: the person at the terminal, or the embedder. */
export interface HostCaller extends Caller {
  /** Receives notifications of the server, such as the completion of a page. */
  readonly onNotification: (method: string, params: JsonObject) => void;
}

/**
 * The host's own caller, one for each server: answers questions to the user, lists roots, and offers the model. Its
 * answers depend on the server: the roots of its entry, the pages that it may open, how often it may ask. Elicitation
 * is declared even where nobody can answer (and then declined), so that a server's catalog does not depend on that.
 */
export function hostCaller(parts: HostCallerParts, servers: Servers, server: Server): HostCaller {
  const { ports, connectionFactory, configuration, events, callServices, projectRoots } = parts;
  const { context } = configuration.loaded;
  const roots = writtenRoots(server, configuration);
  const { capabilities = {}, handlers = {} } = mergeClientFeatures([
    { capabilities: SKILLS_CAPABILITY },
    elicitationFeature({
      server: server.name,
      answer: (question, signal) => callServices.elicitor.ask(question, signal),
      check: (schema, value) => connectionFactory.check(schema, value),
      originOf: () => server.pageOrigin,
      onProblem: (message) => events.problem(message),
    }),
    rootsFeature({ context, roots, project: projectRoots }),
    samplingFeature({
      server: server.name,
      model: ports.model,
      permit: toSamplingPermit(callServices, servers, server),
      clock: ports.clock,
      idlePeriod: () => server.idlePeriods,
    }),
  ]);
  return {
    principal: LOCAL,
    client: undefined,
    capabilities,
    get roots() {
      return roots === false ? [] : findRoots({ context, roots });
    },
    answer: async (method, params, { signal }) => {
      const handler = handlers[method];
      if (!handler) throw new JsonRpcFailure(METHOD_NOT_FOUND, 'Method not found');
      return handler(params, { signal });
    },
    onNotification: (method, params) => callServices.elicitor.onCompleted(server.name, method, params),
  };
}

/** The capabilities of a caller that are declared to a server: without roots where its entry forbids them. */
export function declaredTo(server: Server, configuration: Configuration, caller: Caller): Caller['capabilities'] {
  const capabilities = hasLane(caller) ? relayedCapabilities(caller.capabilities) : caller.capabilities;
  const { roots, ...others } = capabilities;
  return roots === undefined || writtenRoots(server, configuration) !== false ? capabilities : others;
}

/** The entry's `roots`; by default `false` for a server that names folders on its command line: see `namesFolders`. */
function writtenRoots({ entry: { config } }: Server, { loaded }: Configuration): false | readonly string[] | undefined {
  if (!config || config.roots !== undefined) return config?.roots;
  return namesFolders(config, loaded.context.cwd) ? false : undefined;
}

const LOCAL = 'local';
const METHOD_NOT_FOUND = -32601;

/** Decides with the permission settings and the server's config at the time of the request. */
function toSamplingPermit({ guard }: CallServices, { names }: Servers, server: Server): SamplingOptions['permit'] {
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
