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
  /** What is to be told; all of it unless said. */
  readonly kind?: 'tools' | 'prompts';
}

/**
 * Until servers that nobody has asked yet have told what they have, or will not, but no longer than a call may wait for that:
 * then with the reason. Never rejects.
 */
export function waitForCatalogsOf(
  connections: readonly ServerLifecycle[],
  { kind, clock, timeoutMs, signal }: WaitForCatalogsOfOptions,
): Promise<HostError | undefined> {
  const names = connections.map(({ name }) => `"${name}"`).join(', ');
  const told = connections.map((connection) => (kind ? listed(connection, kind) : connection.settled()));
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

/** A server that never tells one list may long have told the other. */
async function listed(connection: ServerLifecycle, kind: ListKind): Promise<void> {
  await connection.decided();
  await connection.catalog.listed(kind);
}

/**
 * Until a server has said in this run what it has, where that is only remembered: one that rests is started, one that is away
 * waited for. Why that was not to be had, if so. Never rejects.
 */
export async function waitForFreshCatalog(
  connection: ServerLifecycle,
  options: WaitForCatalogsOfOptions & { readonly kind: 'tools' | 'prompts' },
): Promise<HostError | undefined> {
  const { status, catalog } = connection;
  if (status.kind === 'connected' && catalog.source === 'server' && !catalog.isAwaited(options.kind)) return undefined;
  const { timeoutMs, signal } = options;
  const came = await connection.ask(
    reading(() => Promise.resolve()),
    { timeoutMs, signal },
  );
  return came.outcome === 'ok' ? waitForCatalogsOf([connection], options) : came.error;
}

/** Servers that may have a tool or prompt of this name, and have not told them: not started yet, just connected, or still asked. */
export function serversWithoutCatalog<One extends ServerLifecycle>(
  connections: readonly One[],
  name: string,
  kind: 'tools' | 'prompts',
): readonly One[] {
  return connections.filter((connection) => {
    const { status, catalog } = connection;
    // One that has failed to tell once is asked again in the background, and not waited for.
    const isAwaited = catalog.isAwaited(kind) && !catalog.problems.has(kind);
    return MAY_STILL_LIST.has(status.kind) && (catalog.source === 'none' || isAwaited) && mayOwn(connection, name);
  });
}

/** Whether a server may have what goes by that name. */
export function mayOwn({ name: server }: ServerLifecycle, name: string): boolean {
  return [toNamePart(server), toConnectorPart(server)].some((part) => name.startsWith(`mcp__${part}__`));
}

const MAY_STILL_LIST: ReadonlySet<string> = new Set(['idle', 'pending', 'connected']);
