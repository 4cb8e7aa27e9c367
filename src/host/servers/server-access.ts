import { HostError } from '../../base/errors.js';
import { nearest } from '../../base/nearest.js';
import { shorten } from '../../base/shorten.js';
import type { RetriedOutcome } from '../../connection/call-with-retries.js';
import type { ServerLifecycle } from '../../connection/server-lifecycle.js';
import type { Connection } from '../../connection/connect.js';
import type { KeptServerResult } from '../../connection/kept-server-result.js';
import { reading } from '../../connection/operation.js';
import type { Decision } from '../../model/permissions/decision.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { CallOptions } from '../../wire/peer.js';
import type { SpillStore } from '../../model/spilled.js';
import type { CallContext } from '../../model/tool.js';
import type { AskOptions } from '../answered.js';
import type { Server } from './server.js';
import { waitForCatalogsOf } from '../calls/wait-for-catalog.js';

/** What the offers of servers, other than tools, need of a host. */
export interface ServerAccess {
  /** Those that something may be read from. */
  readonly connections: () => readonly Server[];
  /** Why nothing of a server may be. */
  readonly denied: (server: string) => HostError | undefined;
  /** Where an answer goes that is too large for memory. */
  readonly spill: SpillStore | undefined;
  /** Whether a server comes from the catalogue, whose names are tidied further. */
  readonly isConnector: (server: string) => boolean;
}

/** The server of that name, or that there is none, or none that may be asked. */
export function findConnection({ connections, denied }: ServerAccess, name: string): Server | HostError {
  const refusal = denied(name);
  if (refusal) return refusal;
  const all = connections();
  const found = all.find((connection) => connection.name === name);
  if (found) return found;
  const names = all.map((connection) => connection.name);
  const [close] = nearest(name, names);
  const some = names.slice(0, SHOWN).join(', ') + (names.length > SHOWN ? ' …' : '');
  return new HostError('unknown-server', `There is no server "${shorten(name, NAME_SHOWN)}"`, {
    hint: close !== undefined ? `Did you mean "${close}"?` : some === '' ? 'plugboard list' : `There are: ${some}`,
  });
}

/** What is told of a name that a server does not have: the one that is likely to be meant. */
export function unknownOffer(what: string, name: string, known: readonly string[]): HostError {
  const [close] = nearest(name, known);
  return new HostError('unknown-resource', `${what} "${shorten(name, NAME_SHOWN)}"`, {
    ...(close !== undefined && { hint: `Did you mean "${close}"?` }),
  });
}

/** What whoever asks for something of a server is told that rules deny. */
export function toServerRefusal(server: string, decision: Decision | undefined): HostError | undefined {
  if (!decision) return undefined;
  const name = gateLine(server, { limit: NAME_SHOWN }).text;
  return new HostError('denied', `Nothing of server "${name}" is used: ${decision.reason}`, {
    hint: 'plugboard permissions shows where that is written',
  });
}

/** Reads something of a server: reading twice does no harm, so that it may be asked again. */
export function readFromServer<Result>(
  server: Server,
  read: (link: Connection, options: CallOptions & Pick<ServerAskOptions, 'kept'>) => Promise<Result>,
  { signal, timeoutMs, caller: owner = server.caller, kept }: ServerAskOptions,
): Promise<RetriedOutcome<Result>> {
  return server.ask(
    reading((link, limits) => read(link, { ...limits, owner, kept })),
    { signal, timeoutMs: timeoutMs ?? server.server.config.timeout ?? ASK_MS },
  );
}

export interface ServerAskOptions extends AskOptions, Pick<CallContext, 'caller'> {
  /** Gets the server's own answer. */
  readonly kept?: KeptServerResult | undefined;
}

/** Until it is known what a server has: one that rests is started. Why that was not waited for, if so. */
export async function waitForKnownCatalog(
  connection: ServerLifecycle,
  { signal, timeoutMs = ASK_MS }: AskOptions,
): Promise<HostError | undefined> {
  const { clock, catalog } = connection;
  if (catalog.source === 'none' && connection.status.kind === 'idle') connection.start('use');
  const isOnItsWay = connection.status.kind === 'pending' || connection.status.kind === 'connected';
  if (catalog.source === 'none' && isOnItsWay) return waitForCatalogsOf([connection], { clock, timeoutMs, signal });
  return undefined;
}

/** Until a list that is under way has come, where it is not known or may be another by now. Never rejects. */
export async function untilListed(
  connection: ServerLifecycle,
  kind: 'resources',
  { signal, timeoutMs = ASK_MS }: AskOptions,
): Promise<void> {
  const { clock, catalog } = connection;
  if (catalog.source === 'none') await waitForKnownCatalog(connection, { signal, timeoutMs });
  else if (catalog.isAwaited(kind)) await waitForCatalogsOf([connection], { clock, timeoutMs, signal });
}

export const ASK_MS = 120_000; // for one answer; a page that a server has to fetch itself takes a while
const SHOWN = 20;
const NAME_SHOWN = 100;
