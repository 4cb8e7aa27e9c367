import { HostError } from '../../base/errors.js';
import type { ListKind } from '../../connection/catalog/catalog.js';
import type { ServerLifecycle } from '../../connection/server-lifecycle.js';
import { inside } from '../../host/inside.js';
import { countOf, showLine } from '../../model/show.js';
import type { HostOpening } from '../action.js';
import { type ActionContext, type Waited, waitFor } from '../action-context.js';
import type { HostPlace } from '../action-place.js';
import { mustRun } from '../barrier.js';
import { refuseBarred } from '../perform.js';
import { factsOf } from './server-facts.js';
import { chooseNames } from '../choose-servers.js';
import { connectionsOf, startIdle } from '../running-server.js';
import { diagnosedServers } from '../health/diagnosed-error.js';
import { errorNote } from '../health/error-note.js';
import type { Told, ToldNote, ToldPart } from '../told.js';
import { reasonOf } from '../waited-state.js';

/** The argument of actions that show a list: one server, or none for all. */
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

/** A server that is not in a list, and why. */
export interface MissingServer {
  readonly server: string;
  readonly error: HostError;
}

/** The servers that have listed what they offer, and why others have not. */
export interface Listing {
  readonly action: string;
  readonly servers: readonly ServerLifecycle[];
  readonly failed: readonly MissingServer[];
  /** The first of these: no server is configured at all; servers are, and none may run. */
  readonly lack: 'configured' | 'ready' | undefined;
  /** Warnings about the lists of servers. */
  readonly warnings: readonly string[];
}

/** Those items whose servers are in the listing. */
export function itemsOfListed<Item extends { readonly server: string }>(
  { servers }: Listing,
  items: readonly Item[],
): readonly Item[] {
  const names = new Set(servers.map(({ name }) => name));
  return items.filter(({ server }) => names.has(server));
}

export interface ListingOptions extends ListingArgs {
  readonly action: string;
  /** The lists that a server must have answered; otherwise it counts as failed. */
  readonly lists: readonly ListKind[];
  readonly context: ActionContext;
}

/**
 * Asks servers for their lists. On the host of a session only the named server is started and waited for; the others
 * are shown as far as known. Rejects when the named server fails.
 */
export async function listedServers(on: HostPlace, options: ListingOptions): Promise<Listing> {
  const { action, server: name, lists, context } = options;
  const { host, isTransient } = on;
  if (name !== undefined) {
    await chooseNames(host[inside].loaded, name, action);
    refuseBarred({ barrier: mustRun }, await factsOf(on, name));
  }
  const asked = connectionsOf(host).filter(
    (one) => (name === undefined || one.name === name) && one.status.kind !== 'disabled',
  );
  const isWaiting = isTransient || name !== undefined;
  // The cached catalog of a lazy server is good enough; a server without one is started.
  for (const one of isWaiting ? asked : []) if (name !== undefined || one.catalog.source === 'none') startIdle(one);
  const told = isTransient ? host.settled() : Promise.all(asked.map((one) => one.settled()));
  const waited = isWaiting ? await waitFor(told, context) : undefined;
  const servers: ServerLifecycle[] = [];
  const failed: MissingServer[] = [];
  let late: HostError | undefined;
  for (const one of asked) {
    const error = waited ? whyNot(one, lists, waited.kind !== 'settled') : whyNotYet(one, lists);
    const isLate = error?.code === 'cancelled' && name === undefined && waited?.kind === 'timed-out';
    // For a named server the error is the answer; among several, that server is just missing.
    if (error && !isLate && (name !== undefined || error.code === 'cancelled')) throw error;
    if (isLate) late ??= error;
    const atEnd = isLate ? lateError(one, { lists, waited }) : undefined;
    if (error) failed.push({ server: one.name, error: atEnd ?? error });
    if (!error || (!isTransient && one.catalog.source !== 'none')) servers.push(one);
  }
  // When time is up, a part of the list is an answer, and nothing at all is none.
  if (late && servers.length === 0) throw late;
  const warnings = servers.flatMap(({ name: server, catalog }) =>
    lists.flatMap((list) => catalog.warningsOf(list).map((warning) => showLine(`warning: "${server}": ${warning}`))),
  );
  const { servers: entries } = host[inside].loaded;
  const lack = asked.length > 0 ? undefined : entries.length === 0 ? 'configured' : 'ready';
  return { action, lack, servers, failed: await diagnosedServers(failed, host), warnings };
}

export function toErrors({ failed }: Listing): object[] {
  return failed.map(({ server, error }) => ({ server, ...error.toJSON() }));
}

/** For `--json`: who is missing, if a server is. */
export function toMissing(failed: readonly MissingServer[]): { readonly missing?: readonly object[] } {
  return failed.length === 0 ? {} : { missing: failed.map(({ server, error }) => ({ server, error: error.toJSON() })) };
}

/** Why a server that was waited for until `--timeout` is missing; undefined when it has come, or was not stopped. */
export function lateError(
  { name, status, catalog }: Pick<ServerLifecycle, 'name' | 'status' | 'catalog'>,
  { lists, waited }: { readonly lists: readonly ListKind[]; readonly waited: Waited },
): HostError | undefined {
  const reason = reasonOf(waited);
  const isPending = status.kind === 'pending';
  if (!reason || (!isPending && lists.every((list) => !catalog.isFetching(list)))) return undefined;
  const what = isPending ? 'answer' : 'list what it offers';
  return new HostError(reason.code, `Server "${name}" did not ${what} ${reason.message}`, { hint: reason.hint });
}

/** `1 of 3 servers is missing here: db`; nothing where none came. */
export function missingNotes(failed: readonly MissingServer[], asked: number): readonly string[] {
  if (failed.length === 0 || failed.length >= asked) return [];
  const names = failed.slice(0, NAMES).map(({ server }) => server);
  const more = failed.length > NAMES ? ` and ${failed.length - NAMES} more` : '';
  const verb = failed.length === 1 ? 'is' : 'are';
  return [showLine(`${failed.length} of ${countOf(asked, 'server')} ${verb} missing here: ${names.join(', ')}${more}`)];
}

const NAMES = 10;

/** `blocks`: one list per server. */
export function tellListing(listing: Listing, blocks: readonly ToldPart[], notes: readonly ToldNote[] = []): Told {
  const { action, lack, servers, failed, warnings } = listing;
  const isNothing = blocks.length === 0 && failed.length === 0;
  return {
    tone: servers.length === 0 && failed.length > 0 ? 'failed' : 'note',
    parts: isNothing
      ? [{ kind: 'sentence', text: nothingText(action, lack) }]
      : blocks.flatMap((block, at) => (at === 0 ? [block] : [{ kind: 'sentence', text: '' } as const, block])),
    notes: [
      ...failed.map(({ error }) => errorNote(error)),
      ...missingNotes(failed, servers.length + failed.length),
      ...warnings,
      ...notes,
    ],
    ...(failed.length > 0 && { code: servers.length === 0 ? 'connect-failed' : 'unhealthy' }),
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
  if (isStopped && lists.some((list) => catalog.isFetching(list)))
    return new HostError('cancelled', `Stopped while server "${name}" was listing what it offers`);
  return lists.map((list) => listProblems.get(list)).find((error) => error !== undefined);
}

/** Why a server's lists are not known on a host that was not waited for. */
function whyNotYet(server: ServerLifecycle, lists: readonly ListKind[]): HostError | undefined {
  const { name, status, catalog } = server;
  const isKnown = catalog.source !== 'none';
  if (status.kind === 'pending') {
    return isKnown ? undefined : new HostError('connect-failed', `Server "${name}" is still connecting`);
  }
  if (status.kind === 'idle' && !isKnown) {
    return new HostError('connect-failed', `Server "${name}" has not been started yet: name it to start it`);
  }
  return whyNot(server, lists, false);
}

function nothingText(action: string, lack: Listing['lack']): string {
  if (lack === undefined) return `No ${action}.`;
  if (lack === 'configured') {
    return `No MCP servers configured. Use \`plugboard add\` to add a server, or name one: plugboard ${action} URL`;
  }
  return `No MCP servers may run here. Use \`plugboard list\` to see why, or name one: plugboard ${action} URL`;
}
