import type { HostError } from '../../base/errors.js';
import type { ServerLifecycle } from '../../connection/server-lifecycle.js';
import { showLine } from '../../model/show.js';
import { type ActionContext, type Waited, waitFor } from '../action-context.js';
import { startIdle } from '../running-server.js';
import { withoutName } from '../servers/server-status.js';

/** A server that did not come, and why. */
export interface Absent {
  readonly name: string;
  readonly error: HostError;
}

export interface AskInTurnOptions<Found> {
  /** What was typed, for the note about servers that are missing: `tool "echo"`. */
  readonly what: string;
  /** Looks among what servers have listed by now. May throw where several match. */
  readonly find: () => Found | undefined | Promise<Found | undefined>;
  /** The error where the wait for these servers was stopped. */
  readonly stopped: (servers: readonly ServerLifecycle[]) => HostError;
  /** Resolves when what servers have listed can be used. */
  readonly ready?: () => Promise<unknown>;
}

/**
 * Looks for something by a name that no server is known to have. First it asks the servers that have listed nothing
 * yet, and only then the others, whose lists of an earlier run may be out of date. Notes who is missing.
 */
export async function askInTurn<Found extends { readonly server?: string | undefined }>(
  servers: readonly ServerLifecycle[],
  { what, find, stopped, ready }: AskInTurnOptions<Found>,
  context: ActionContext,
): Promise<Found | undefined> {
  const unlisted = servers.filter(({ catalog }) => catalog.source === 'none');
  const listed = servers.filter((server) => !unlisted.includes(server));
  for (const group of [unlisted, listed]) {
    if (group.length === 0) continue;
    for (const server of group) startIdle(server);
    const settled = Promise.all(group.map((server) => server.settled()));
    const waited = await watchedWait(
      settled.then(() => ready?.()),
      group,
      context,
    );
    if (waited.kind !== 'settled') throw stopped(group);
    const found = await find();
    if (!found) continue;
    const absent = absentOf(group).filter(({ name }) => name !== found.server);
    if (absent.length > 0) context.note?.(showLine(`warning: not asked for a ${what}: ${absentText(absent)}`));
    return found;
  }
  return undefined;
}

/** Waits, and shows for whom where the face has no display of its own for that. */
async function watchedWait(
  work: Promise<unknown>,
  servers: readonly ServerLifecycle[],
  context: ActionContext,
): Promise<Waited> {
  const late = servers.filter(({ status, catalog }) => status.kind === 'pending' || catalog.source === 'none');
  const names = late.slice(0, SHOWN).map(({ name }) => name);
  const more = late.length > SHOWN ? ` and ${late.length - SHOWN} more` : '';
  const watch =
    context.wait || late.length === 0 ? undefined : context.watchCall?.(`waiting for ${names.join(', ')}${more}`);
  return waitFor(work, context).finally(() => watch?.clear());
}

export function absentOf(servers: readonly ServerLifecycle[]): readonly Absent[] {
  return servers.flatMap(({ name, status }) =>
    status.kind === 'failed' || status.kind === 'needs-auth' ? [{ name, error: status.error }] : [],
  );
}

/** The servers that are missing, and why: `"db" (did not answer)`. */
export function absentText(absent: readonly Absent[]): string {
  const shown = absent.slice(0, SHOWN).map(({ name, error }) => `"${name}" (${withoutName(error.message, name)})`);
  const more = absent.length > SHOWN ? ` and ${absent.length - SHOWN} more` : '';
  return `${shown.join(', ')}${more}`;
}

const SHOWN = 5;
