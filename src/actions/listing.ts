import { HostError } from '../base/errors.js';
import { showLine } from '../model/show.js';
import type { Problem } from '../config/problem.js';
import type { ListKind } from '../connection/catalog.js';
import type { Connection } from '../connection/connection.js';
import type { Host } from '../host/host.js';
import { inside } from '../host/inside.js';
import { type Action, defineAction } from './action.js';
import { type ActionContext, waitFor } from './action-context.js';
import { hostOf, loadedOf } from './action-place.js';
import { mustRun } from './barrier.js';
import type { ToldPart } from './told.js';

const args = { server: { kind: 'server', isOptional: true } } as const;

/** What a list consists of. */
export interface ListedParts {
  readonly json: object;
  /** One for each server that has something. */
  readonly tables: readonly Extract<ToldPart, { readonly kind: 'table' }>[];
  readonly notes?: readonly string[];
}

interface Listed extends ListedParts {
  readonly failed: readonly { readonly server: string; readonly error: HostError }[];
  readonly warnings: readonly string[];
  readonly problems: readonly Problem[];
  /** How many servers were asked. */
  readonly asked: number;
}

export interface ListAction extends Pick<Action, 'name' | 'summary'> {
  /** Without which a server counts as one that could not tell. */
  readonly lists: readonly ListKind[];
  /** `servers`: those of all that were asked that have told what they have. */
  readonly show: (host: Host, servers: readonly Connection[], asked: readonly string[]) => Promise<ListedParts>;
}

/** An action that shows what servers offer: all that may run, or one. What keeps single servers from telling is noted. */
export function listAction({ name: what, summary, lists, show }: ListAction): Action<typeof args, Listed> {
  return defineAction({
    name: what,
    label: what,
    doing: `reading ${what}`,
    summary,
    args,
    needs: 'host',
    barrier: mustRun,
    async run(on, { server: name }, context) {
      const { host, isTransient } = hostOf(on);
      const names = name === undefined ? [...new Set(host.servers().map((one) => one.name))] : [name];
      const connections = names.flatMap((one) => host[inside].connection(one) ?? []);
      // What is known of a server that rests is as good as the last time; one that nobody knows has to be asked.
      for (const connection of connections) {
        const isWanted = (isTransient && name !== undefined) || connection.catalog.source === 'none';
        if (connection.status.kind === 'idle' && isWanted) connection.start('use');
      }
      const isStopped = await isLeft(isTransient ? host.settled() : settled(connections), context);
      const servers: Connection[] = [];
      const failed: { server: string; error: HostError }[] = [];
      for (const connection of connections) {
        const error = whyNot(connection, lists, isStopped);
        // Of the one server that was asked for it is the answer; among others it is one that is missing.
        if (error && (name !== undefined || error.code === 'cancelled')) throw error;
        if (error) failed.push({ server: connection.name, error });
        else servers.push(connection);
      }
      const warnings = servers.flatMap(({ name: server, catalog }) =>
        lists.flatMap((list) => catalog.warningsOf(list).map((warning) => showLine(`warning "${server}": ${warning}`))),
      );
      const { problems } = await loadedOf(on);
      return { ...(await show(host, servers, names)), failed, warnings, problems, asked: connections.length };
    },
    json: ({ json, failed }) => ({
      ...json,
      errors: failed.map(({ server, error }) => ({ server, ...error.toJSON() })),
    }),
    tell: ({ tables, failed, warnings, notes = [], problems, asked }) => ({
      tone: 'note',
      parts:
        tables.length > 0 || failed.length > 0
          ? tables.flatMap((table, at) => (at === 0 ? [table] : [BLANK, table]))
          : [{ kind: 'sentence', text: asked > 0 ? `No ${what}.` : nobodyRuns(what) }],
      notes: [
        ...failed.flatMap(({ error }) => [
          showLine(`error ${error.message}`),
          ...(error.hint === undefined ? [] : [`  ${showLine(error.hint)}`]),
        ]),
        ...warnings,
        ...notes,
      ],
      problems,
      code: failed.length > 0 && failed.length === asked ? 'connect-failed' : undefined,
    }),
  });
}

const BLANK = { kind: 'sentence', text: '' } as const;

function nobodyRuns(what: string): string {
  return `No MCP servers may run here. Use \`plugboard list\` to see why, or name one: plugboard ${what} URL`;
}

async function settled(connections: readonly Connection[]): Promise<void> {
  await Promise.all(connections.map((connection) => connection.settled()));
}

/** Whether nobody waits any longer. */
async function isLeft(work: Promise<void>, context: ActionContext): Promise<boolean> {
  await waitFor(work, context);
  return context.signal?.aborted === true;
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
