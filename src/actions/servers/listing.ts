import { HostError } from '../../base/errors.js';
import type { ListKind } from '../../connection/catalog/catalog.js';
import type { ServerLifecycle } from '../../connection/server-lifecycle.js';
import { inside } from '../../host/inside.js';
import { showLine } from '../../model/show.js';
import type { HostOpening } from '../action.js';
import { type HostPlace, untilSettled } from '../action-place.js';
import { chooseNames } from '../choose-servers.js';
import { connectionsOf, startIdle } from '../running-server.js';
import type { Told, ToldPart } from '../told.js';

/** What an action takes that shows a list: of every server, or of one. */
export const listingArgs = { server: { kind: 'server', isOptional: true } } as const;

interface ListingArgs {
  readonly server: string | undefined;
}

export function listingOpening(action: string): HostOpening<ListingArgs> {
  return {
    servers: (loaded, { server }, { adHoc }) => chooseNames(loaded, adHoc ?? server, action),
    mayStart: ({ name }, { server }) => server === undefined || name === server,
  };
}

/** The servers that have told what they have, and why others have not. */
export interface Listing {
  readonly action: string;
  /** How many were asked. */
  readonly asked: number;
  readonly servers: readonly ServerLifecycle[];
  readonly failed: readonly { readonly server: string; readonly error: HostError }[];
  /** What servers said beside their lists that is odd. */
  readonly warnings: readonly string[];
}

export interface ListingOptions extends ListingArgs {
  readonly action: string;
  /** Without which a server counts as one that could not tell. */
  readonly lists: readonly ListKind[];
  readonly signal: AbortSignal | undefined;
}

/**
 * Asks servers for their lists. On a host where people work only the one that is named is started and waited for: of the others it is told
 * what is known. Rejects where the one that is named cannot tell.
 */
export async function listedServers(on: HostPlace, options: ListingOptions): Promise<Listing> {
  const { action, server: name, lists, signal } = options;
  const { host, isTransient } = on;
  if (name !== undefined) await chooseNames(host[inside].loaded, name, action);
  const asked = connectionsOf(host).filter(
    (one) => (name === undefined || one.name === name) && one.status.kind !== 'disabled',
  );
  const isWaiting = isTransient || name !== undefined;
  // What is known of a lazy server is as good as the last time; one that nobody knows has to be asked.
  for (const one of isWaiting ? asked : []) if (name !== undefined || one.catalog.source === 'none') startIdle(one);
  const told = isTransient ? host.settled() : Promise.all(asked.map((one) => one.settled()));
  const waited = isWaiting ? await untilSettled(on, told, signal) : undefined;
  const servers: ServerLifecycle[] = [];
  const failed: { readonly server: string; readonly error: HostError }[] = [];
  for (const one of asked) {
    const error = waited ? whyNot(one, lists, waited.kind !== 'settled') : whyNotYet(one, lists);
    // Of the one server that was asked for it is the answer; among others it is one that is missing.
    if (error && (name !== undefined || error.code === 'cancelled')) throw error;
    if (error) failed.push({ server: one.name, error });
    if (!error || (!isTransient && one.catalog.source !== 'none')) servers.push(one);
  }
  const warnings = servers.flatMap(({ name: server, catalog }) =>
    lists.flatMap((list) => catalog.warningsOf(list).map((warning) => showLine(`warning "${server}": ${warning}`))),
  );
  return { action, asked: asked.length, servers, failed, warnings };
}

export function toErrors({ failed }: Listing): object[] {
  return failed.map(({ server, error }) => ({ server, ...error.toJSON() }));
}

/** `blocks`: the list of each server. */
export function tellListing(listing: Listing, blocks: readonly ToldPart[], notes: readonly string[] = []): Told {
  const { action, asked, servers, failed, warnings } = listing;
  const isNothing = blocks.length === 0 && failed.length === 0;
  return {
    tone: servers.length === 0 && failed.length > 0 ? 'failed' : 'note',
    parts: isNothing
      ? [{ kind: 'sentence', text: nothingText(action, asked) }]
      : blocks.flatMap((block, at) => (at === 0 ? [block] : [{ kind: 'sentence', text: '' } as const, block])),
    notes: [
      ...failed.flatMap(({ error }) => [
        showLine(`error ${error.message}`),
        ...(error.hint === undefined ? [] : [`  ${showLine(error.hint)}`]),
      ]),
      ...warnings,
      ...notes,
    ],
    ...(servers.length === 0 && failed.length > 0 && { code: 'connect-failed' }),
  };
}

function whyNot(
  { name, status, catalog, listProblems }: ServerLifecycle,
  lists: readonly ListKind[],
  isStopped: boolean,
): HostError | undefined {
  if (status.kind === 'pending')
    return new HostError('cancelled', `Stopped while server "${name}" was being connected`);
  if ('error' in status) return status.error;
  if (isStopped && lists.some((list) => catalog.isAwaited(list)))
    return new HostError('cancelled', `Stopped while server "${name}" was telling what it has`);
  return lists.map((list) => listProblems.get(list)).find((error) => error !== undefined);
}

/** The same where nobody has waited. */
function whyNotYet(server: ServerLifecycle, lists: readonly ListKind[]): HostError | undefined {
  const { name, status, catalog } = server;
  const isKnown = catalog.source !== 'none';
  if (status.kind === 'pending') {
    return isKnown ? undefined : new HostError('connect-failed', `Server "${name}" is still being connected`);
  }
  if (status.kind === 'idle' && !isKnown) {
    return new HostError('connect-failed', `Server "${name}" has not been started yet: ask for it by its name`);
  }
  return whyNot(server, lists, false);
}

function nothingText(action: string, servers: number): string {
  if (servers > 0) return `No ${action}.`;
  return `No MCP servers may run here. Use \`plugboard list\` to see why, or name one: plugboard ${action} URL`;
}
