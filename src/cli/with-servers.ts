import { HostError } from '../base/errors.js';
import type { ListKind } from '../connection/catalog.js';
import type { Connection } from '../connection/connection.js';
import type { LoadedConfig } from '../config/load.js';
import { chooseNames } from '../actions/choose-servers.js';
import { adHocServer } from './ad-hoc.js';
import type { Invocation } from './arguments.js';
import { exitCodes, type Io } from './io.js';
import { loadToStart } from './load-to-start.js';
import { problemNotes } from './load.js';
import type { HostRun } from './open-host.js';
import { showLine } from '../model/show.js';
import type { Outcome } from './verb.js';
import { usageError } from './usage-error.js';

/** The servers of a run that have told what they have. */
export interface Listing {
  readonly run: HostRun;
  readonly loaded: LoadedConfig;
  readonly servers: readonly Connection[];
}

export interface ListingOptions {
  readonly given: Invocation;
  readonly io: Io;
  /** Without which a server counts as one that could not tell. */
  readonly lists: readonly ListKind[];
}

/** For a verb that shows a list: `[SERVER | URL | -- COMMAND ARGS]`. What keeps single servers from telling is noted. */
export async function withListing(
  { given, io, lists }: ListingOptions,
  show: (listing: Listing) => Promise<Pick<Outcome, 'data' | 'text'>>,
): Promise<Outcome> {
  const adHoc = adHocServer(given);
  const invocation = adHoc?.invocation ?? given;
  const [name, ...more] = adHoc ? [adHoc.name, ...invocation.positionals] : invocation.positionals;
  const verb = given.verb.name;
  if (more.length > 0) {
    throw usageError(`${verb} takes one server, got "${more[0]}" besides`, {
      hint: `If that is a command, put -- before it: plugboard ${verb} -- ${invocation.positionals.join(' ')}`,
    });
  }
  const loaded = await loadToStart(invocation, io, { starts: (server) => name === undefined || server.name === name });
  const only = await chooseNames(loaded, name, verb);
  const { withHost } = await import('./open-host.js');
  return withHost({ invocation, io, loaded, only }, async (run) => {
    const connections = only.flatMap((one) => run.host.connection(one) ?? []);
    // What is known of a server that rests is as good as the last time; one that nobody knows has to be asked.
    for (const connection of connections) {
      const isResting = connection.status.kind === 'idle';
      if (isResting && (name !== undefined || connection.catalog.source === 'none')) connection.start('use');
    }
    const { kind: waited } = await run.settled();
    const servers: Connection[] = [];
    const failed: { readonly server: string; readonly error: HostError }[] = [];
    for (const connection of connections) {
      const error = whyNot(connection, lists, waited !== 'settled');
      // Of the one server that was asked for it is the answer; among others it is one that is missing.
      if (error && (name !== undefined || error.code === 'cancelled')) throw error;
      if (error) failed.push({ server: connection.name, error });
      else servers.push(connection);
    }
    const { data, text } = await show({ run, loaded, servers });
    return {
      data: { ...data, errors: failed.map(({ server, error }) => ({ server, ...error.toJSON() })) },
      text: text === '' && failed.length === 0 ? nothingText(verb, only.length) : text,
      notes: [
        ...failed.flatMap(({ error }) => [
          showLine(`error ${error.message}`),
          ...(error.hint === undefined ? [] : [`  ${showLine(error.hint)}`]),
        ]),
        ...servers.flatMap(({ name: server, catalog }) =>
          lists.flatMap((list) =>
            catalog.warningsOf(list).map((warning) => showLine(`warning "${server}": ${warning}`)),
          ),
        ),
        ...run.notes,
        ...(adHoc ? [] : problemNotes(loaded.problems, { invocation, io })),
      ],
      ...(servers.length === 0 && failed.length > 0 && { exitCode: exitCodes.failed }),
    };
  });
}

function whyNot(
  { name, status, catalog, listProblems }: Connection,
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

function nothingText(verb: string, servers: number): string {
  if (servers > 0) return `No ${verb}.`;
  return `No MCP servers may run here. Use \`plugboard list\` to see why, or name one: plugboard ${verb} URL`;
}
