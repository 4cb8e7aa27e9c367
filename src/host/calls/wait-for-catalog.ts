import { HostError } from '../../base/errors.js';
import { nameWord } from '../../base/shell-word.js';
import { within } from '../../base/within.js';
import type { ListKind } from '../../connection/catalog/catalog.js';
import type { ServerLifecycle } from '../../connection/server-lifecycle.js';
import { reading } from '../../connection/operation.js';
import type { Clock } from '../../model/clock.js';
import { toConnectorPart, toNamePart } from '../../model/view/names.js';
import { deadlineIn } from '../../wire/deadline.js';

export interface WaitForCatalogsOfOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** The list to wait for; all lists by default. */
  readonly kind?: 'tools' | 'prompts';
}

/**
 * Waits until these servers have listed what they offer, or have failed. Returns an error when the timeout or the
 * signal comes first. Never rejects.
 */
export function waitForCatalogsOf(
  connections: readonly ServerLifecycle[],
  { kind, clock, timeoutMs, signal }: WaitForCatalogsOfOptions,
): Promise<HostError | undefined> {
  const names = connections.map(({ name }) => `"${name}"`).join(', ');
  const told = connections.map((lifecycle) => (kind ? listed(lifecycle, kind) : lifecycle.settled()));
  return within(
    Promise.all(told).then(() => undefined),
    {
      signal,
      deadline: deadlineIn(clock, timeoutMs),
      instead: (why) => {
        if (why === 'aborted')
          return new HostError('cancelled', `A call was cancelled while server ${names} was started`);
        const text = `Server ${names} did not tell what it has within the ${timeoutMs} ms that a call may take`;
        const hint = `See why: plugboard doctor ${connections.map(({ name }) => nameWord(name)).join(' ')}`;
        return new HostError('call-timeout', text, { hint });
      },
    },
  );
}

/** Waits for one list only: a server that never answers one list may have answered the other. */
async function listed(lifecycle: ServerLifecycle, kind: ListKind): Promise<void> {
  await lifecycle.decided();
  await lifecycle.catalog.listed(kind);
}

/**
 * Waits until the server has listed what it offers in this run, if only a cached catalog is known: starts an idle
 * server, waits for a disconnected one. Returns the error if the server does not come. Never rejects.
 */
export async function waitForFreshCatalog(
  lifecycle: ServerLifecycle,
  options: WaitForCatalogsOfOptions & { readonly kind: 'tools' | 'prompts' },
): Promise<HostError | undefined> {
  const { status, catalog, isResting } = lifecycle;
  if ((status.kind === 'connected' || isResting) && catalog.source === 'server' && !catalog.isFetching(options.kind))
    return undefined;
  const { timeoutMs, signal } = options;
  const came = await lifecycle.ask(
    reading(() => Promise.resolve()),
    { timeoutMs, signal },
  );
  return came.outcome === 'ok' ? waitForCatalogsOf([lifecycle], options) : came.error;
}

/**
 * The servers that may have a tool or prompt of this name and have not listed any: idle, just connected, or listing.
 */
export function serversWithoutCatalog<One extends ServerLifecycle>(
  connections: readonly One[],
  name: string,
  kind: 'tools' | 'prompts',
): readonly One[] {
  return connections.filter((connection) => {
    const { status, catalog } = connection;
    // A list that failed once is fetched again in the background; calls do not wait for it.
    const isAwaited = catalog.isFetching(kind) && !catalog.problems.has(kind);
    return MAY_STILL_LIST.has(status.kind) && (catalog.source === 'none' || isAwaited) && mayOwn(connection, name);
  });
}

/** Whether this tool or prompt name has the server's prefix. */
export function mayOwn({ name: server }: ServerLifecycle, name: string): boolean {
  return [toNamePart(server), toConnectorPart(server)].some((part) => name.startsWith(`mcp__${part}__`));
}

const MAY_STILL_LIST: ReadonlySet<string> = new Set(['idle', 'pending', 'connected']);
