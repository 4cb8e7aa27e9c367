import { HostError } from '../../base/errors.js';
import { nearest } from '../../base/nearest.js';
import { shorten } from '../../base/shorten.js';
import type { RetriedOutcome } from '../../connection/call-with-retries.js';
import type { ServerLifecycle } from '../../connection/server-lifecycle.js';
import type { Connection } from '../../connection/connect.js';
import type { KeptServerResult } from '../../connection/kept-server-result.js';
import { reading } from '../../connection/operation.js';
import { extrasOf, type RequestExtras } from '../../connection/requests/request-extras.js';
import type { Decision } from '../../model/permissions/decision.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { CallOptions } from '../../wire/peer.js';
import type { SpillStore } from '../../model/spilled.js';
import type { CallContext } from '../../model/tool.js';
import type { AskOptions } from '../answered.js';
import type { Server } from './server.js';
import { askServer } from './server-line.js';
import { waitForCatalogsOf } from '../calls/wait-for-catalog.js';

/** What requests other than tool calls need of a host. */
export interface ServerAccess {
  /** The servers that may be read from. */
  readonly runningServers: () => readonly Server[];
  /** Why nothing of a server may be read. */
  readonly denied: (server: string) => HostError | undefined;
  /** Where a response goes that is too large for memory. */
  readonly spill: SpillStore | undefined;
  /** Whether a server is one of the account's connectors, whose names are simplified further. */
  readonly isConnector: (server: string) => boolean;
}

/** The server of this name; an error where there is none, or where rules deny it. */
export function findRunning({ runningServers, denied }: ServerAccess, name: string): Server | HostError {
  const refusal = denied(name);
  if (refusal) return refusal;
  const all = runningServers();
  const found = all.find((server) => server.name === name);
  if (found) return found;
  const names = all.map((server) => server.name);
  const [close] = nearest(name, names);
  const some = names.slice(0, SHOWN).join(', ') + (names.length > SHOWN ? ' …' : '');
  return new HostError('unknown-server', `There is no server "${shorten(name, NAME_SHOWN)}"`, {
    hint: close !== undefined ? `Did you mean "${close}"?` : some === '' ? 'plugboard list' : `There are: ${some}`,
  });
}

/** The error for a name that a server does not have, with the most similar known name as hint. */
export function unknownOffer(what: string, name: string, known: readonly string[]): HostError {
  const [close] = nearest(name, known);
  return new HostError('unknown-resource', `${what} "${shorten(name, NAME_SHOWN)}"`, {
    ...(close !== undefined && { hint: `Did you mean "${close}"?` }),
  });
}

/** The error for a request to a server that rules deny. */
export function toServerRefusal(server: string, decision: Decision | undefined): HostError | undefined {
  if (!decision) return undefined;
  const name = gateLine(server, { limit: NAME_SHOWN }).text;
  return new HostError('denied', `Nothing of server "${name}" is used: ${decision.reason}`, {
    hint: 'plugboard permissions shows where that is written',
  });
}

/** Reads something from a server, over the caller's line. May be retried, because reading twice does no harm. */
export function readFromServer<Result>(
  server: Server,
  read: (connection: Connection, options: ReadingOptions) => Promise<Result>,
  { signal, timeoutMs, caller, kept, onProgress, ...rest }: ServerAskOptions,
): Promise<RetriedOutcome<Result>> {
  const extras = extrasOf(rest);
  const owner = caller ?? server.caller;
  return askServer(
    server,
    reading((connection, limits) => read(connection, { ...limits, owner, kept, onProgress, extras })),
    { caller, signal, timeoutMs: timeoutMs ?? server.server.config.timeout ?? ASK_MS },
  );
}

export interface ReadingOptions extends CallOptions, Pick<ServerAskOptions, 'kept'> {
  readonly extras: RequestExtras | undefined;
}

export interface ServerAskOptions
  extends AskOptions, Pick<CallContext, 'caller' | 'onProgress' | 'relay' | 'meta' | 'logLevel'> {
  /** Receives the server's own result. */
  readonly kept?: KeptServerResult | undefined;
}

/** Where too large a response of this request goes; nowhere for a caller that wants all of it in memory. */
export function spillFor({ spill }: Pick<ServerAccess, 'spill'>, { isInMemory }: CallContext): SpillStore | undefined {
  return isInMemory === true ? undefined : spill;
}

/** Waits until a server's catalog is known; starts an idle one. Returns the error when time or signal ends the wait. */
export async function waitForKnownCatalog(
  lifecycle: ServerLifecycle,
  { signal, timeoutMs = ASK_MS }: AskOptions,
): Promise<HostError | undefined> {
  const { clock, catalog } = lifecycle;
  if (catalog.source === 'none' && lifecycle.status.kind === 'idle') lifecycle.start('use');
  const isOnItsWay = lifecycle.status.kind === 'pending' || lifecycle.status.kind === 'connected';
  if (catalog.source === 'none' && isOnItsWay) return waitForCatalogsOf([lifecycle], { clock, timeoutMs, signal });
  return undefined;
}

/** Waits for a list that is being fetched, if it is unknown or may have changed. Never rejects. */
export async function untilListed(
  lifecycle: ServerLifecycle,
  kind: 'resources' | 'skills',
  { signal, timeoutMs = ASK_MS }: AskOptions,
): Promise<void> {
  const { clock, catalog } = lifecycle;
  if (catalog.source === 'none') await waitForKnownCatalog(lifecycle, { signal, timeoutMs });
  else if (catalog.isFetching(kind)) await waitForCatalogsOf([lifecycle], { clock, timeoutMs, signal });
}

export const ASK_MS = 120_000; // for one response; a server that has to fetch a page itself takes a while
const SHOWN = 20;
const NAME_SHOWN = 100;
