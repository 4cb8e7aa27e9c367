import { SKILLS_CAPABILITY } from '../connection/remote-skill.js';
import type { Fleet } from './fleet.js';
import { namesFolders } from './named-folders.js';
import { servingQuestions } from './server-questions.js';
import { servingRoots } from './serve-roots.js';
import { servingSampling } from './serve-sampling.js';
import { mergeServing, type Serving } from './serving.js';

/**
 * What a host does for a server: it answers questions to the user, says where the project is, and lends its model. Questions are
 * declared also where nobody is there to answer, and are declined then: what a server offers does not hang on who looks.
 */
export function servingOf(fleet: Fleet, server: string): Serving {
  const { ports, loaded } = fleet;
  return mergeServing([
    { capabilities: SKILLS_CAPABILITY },
    servingQuestions({
      server,
      answer: (question, signal) => fleet.onQuestion?.(question, signal) ?? Promise.resolve({ action: 'decline' }),
      check: (schema, value) => fleet.dock.check(schema, value),
      originOf: () => fleet.pageOrigin(server),
      onProblem: (message) => fleet.emit('problem', { message }),
    }),
    servingRoots({ context: loaded.context, roots: rootsFor(fleet, server) }),
    servingSampling({
      server,
      model: ports.model,
      permit: (request, signal) => fleet.onSampling?.(server, request, signal) ?? Promise.resolve('deny'),
      clock: ports.clock,
      stretch: () => fleet.connection(server)?.stretch,
    }),
  ]);
}

/** What the entry says, if it says anything. */
function rootsFor(fleet: Fleet, server: string): false | readonly string[] | undefined {
  const config = fleet.definition(server)?.config;
  if (!config || config.roots !== undefined) return config?.roots;
  return namesFolders(config, fleet.loaded.context.cwd) ? false : undefined;
}
