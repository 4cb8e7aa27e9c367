import { HostError } from '../../base/errors.js';
import { nearest } from '../../base/nearest.js';
import { nameWord } from '../../base/shell-word.js';
import type { ServerLifecycle } from '../../connection/server-lifecycle.js';
import { mayOwn } from '../calls/wait-for-catalog.js';

export interface Known {
  /** Names of the existing tools. */
  readonly tools: readonly string[];
  readonly connections: readonly ServerLifecycle[];
}

/**
 * The error for an unknown tool: its server needs a sign-in, has failed or has not listed; or a similar name exists.
 */
export function unknownTool(name: string, { tools, connections }: Known): HostError {
  const owners = connections.filter((lifecycle) => mayOwn(lifecycle, name));
  for (const { status } of owners) if (status.kind === 'needs-auth') return status.error;
  const away = owners.find(({ status }) => status.kind === 'failed');
  // A similar name of another server is no hint while this server may have the tool.
  const pendingServer = away ? undefined : owners.find((owner) => mayHaveUnlistedTools(owner));
  if (pendingServer) return toolsUnlistedError(pendingServer, `Tool "${name}" is not known`);
  const [close] = nearest(name, tools);
  return new HostError('unknown-tool', `There is no tool "${name}"`, {
    hint: away
      ? `Its server failed: plugboard doctor ${nameWord(away.name)}`
      : close === undefined
        ? 'plugboard tools shows which there are'
        : `Did you mean ${close}?`,
  });
}

/** Whether a server may have tools that it has not listed. */
export function mayHaveUnlistedTools({ status, catalog, listProblems }: ServerLifecycle): boolean {
  if (status.kind === 'disabled') return false;
  return catalog.source === 'none' || catalog.isFetching('tools') || listProblems.has('tools');
}

/** The error for what is unknown until a server lists its tools, with the reason why it has not. */
export function toolsUnlistedError({ name, status, listProblems }: ServerLifecycle, what: string): HostError {
  const problem = listProblems.get('tools') ?? ('error' in status ? status.error : undefined);
  const why = problem ? `: ${problem.message}` : ' yet';
  return new HostError(
    problem?.code === 'call-timeout' ? 'call-timeout' : 'unknown-tool',
    `${what}: server "${name}" has not told its tools${why}`,
    {
      hint: `See why: plugboard doctor ${nameWord(name)}`,
      ...(problem && { cause: problem }),
    },
  );
}
