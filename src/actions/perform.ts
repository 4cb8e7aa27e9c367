import { HostError } from '../base/errors.js';
import type { Action, Done } from './action.js';
import type { ActionContext } from './action-context.js';
import type { ActionPlace, HostPlace } from './action-place.js';
import type { ArgsOf, ArgumentSpecs } from './arguments.js';
import { toRefusal } from './barrier.js';
import { factsOf, type ServerFacts } from './servers/server-facts.js';

/**
 * Runs an action. Every face calls this, so that none skips the action's barrier, and
 * each tells the failure of a server in the words of `doctor`. Rejects with a `HostError`.
 */
export async function perform<Specs extends ArgumentSpecs, Outcome>(
  action: Action<Specs, Outcome>,
  on: ActionPlace,
  args: ArgsOf<Specs>,
  context: ActionContext,
): Promise<Done<Outcome>> {
  const server = serverIn(action, args);
  // On files an action needs only a name, and config refuses edits that are not allowed: nothing is loaded here.
  if (server !== undefined && action.barrier && on.kind === 'host') refuseBarred(action, await factsOf(on, server));
  try {
    return await action.run(on, args, context);
  } catch (error) {
    if (on.kind !== 'host' || !(error instanceof HostError)) throw error;
    const { diagnosedError } = await import('./health/diagnosed-error.js');
    throw await diagnosedError(error, on.host);
  }
}

/** Throws when the action's barrier refuses this server. Also for faces that check before they open a host. */
export function refuseBarred(action: Pick<Action, 'barrier'>, facts: ServerFacts): void {
  const barrier = action.barrier?.(facts);
  if (barrier) throw toRefusal(facts.server.name, barrier);
}

/** The names of the host's servers that the action's barrier allows. */
export async function serversFor(action: Pick<Action, 'barrier'>, on: HostPlace): Promise<readonly string[]> {
  const names = [...new Set(on.host.servers().map(({ name }) => name))];
  const facts = await Promise.all(names.map((name) => factsOf(on, name)));
  return names.filter((_, at) => action.barrier?.(facts[at]!) === undefined);
}

function serverIn<Specs extends ArgumentSpecs>(
  { args }: Pick<Action<Specs>, 'args'>,
  given: ArgsOf<Specs>,
): string | undefined {
  const name = Object.keys(args).find((one) => args[one]!.kind === 'server');
  const server = name === undefined ? undefined : given[name];
  return typeof server === 'string' ? server : undefined;
}
