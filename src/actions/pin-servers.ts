import { HostError } from '../base/errors.js';
import type { HostConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/entries/server.js';
import type { ServerLifecycle } from '../connection/server-lifecycle.js';
import { inside } from '../host/inside.js';
import { formatLock, type LockedServer } from '../model/pins/lock.js';
import type { PinnedDefinition } from '../model/pins/pinned-text.js';
import { sha256Hex } from '../model/text/sha256.js';
import { countOf, showLine, showName } from '../model/show.js';
import { diagnosedServers } from './health/diagnosed-error.js';
import { errorNote } from './health/error-note.js';
import type { ToldNote } from './told.js';
import { trustCommand, untrustedText } from '../model/text/untrusted-text.js';
import type { HostOpening } from './action.js';
import { type ActionContext, waitFor } from './action-context.js';
import { type ActionPlace, type ConfigContext, hostOf } from './action-place.js';
import { chooseServers } from './choose-servers.js';
import { startIdle } from './running-server.js';

/** A server that can be pinned, and the lock file for its pins. */
export interface Lockable {
  readonly server: ConfiguredServer;
  readonly file: string;
}

/** The named servers, or all that may run. Servers from the command line are `placeless`: no file for pins. */
export async function chooseLockable(loaded: HostConfig, names: readonly string[]): Promise<LockableChoice> {
  const { lockFileOf } = await import('../config/edit/lock-files.js');
  const { unknownServer } = await import('../config/edit/manage.js');
  const named = (name: string): readonly ConfiguredServer[] => {
    const found = chooseServers(loaded, name);
    if (found.length === 0) throw unknownServer(loaded, name);
    return found;
  };
  const chosen = names.length === 0 ? chooseServers(loaded, undefined) : [...new Set(names)].flatMap(named);
  const lockable: Lockable[] = [];
  const placeless: string[] = [];
  for (const server of chosen) {
    const file = lockFileOf(server, loaded.context);
    if (file === undefined) placeless.push(server.name);
    else lockable.push({ server, file });
  }
  const [first] = placeless;
  if (names.length > 0 && first !== undefined) {
    throw new HostError('usage', `Server "${first}" is not defined in a file, so its pins have no place`, {
      hint: `Add the server to a file: plugboard add ${showName(first)} ...`,
    });
  }
  return { lockable, placeless, skipped: names.length === 0 ? skippedServers(loaded) : [] };
}

export interface LockableChoice {
  readonly lockable: readonly Lockable[];
  readonly placeless: readonly string[];
  readonly skipped: readonly Skipped[];
}

/** A server that was not named and may not run yet: why, and the command that helps. */
export interface Skipped {
  readonly server: string;
  readonly why: string;
  readonly command: string;
}

/** Omits rejected servers: the user has already decided. */
function skippedServers({ servers }: HostConfig): readonly Skipped[] {
  const running = new Set(servers.flatMap(({ name, standing }) => (standing.kind === 'ready' ? [name] : [])));
  const found = new Map<string, Skipped>();
  for (const { name, standing, accountOf } of servers) {
    if (running.has(name) || accountOf !== undefined) continue;
    if (standing.kind === 'unapproved' && !standing.rejected)
      found.set(name, { server: name, why: 'is not approved', command: `plugboard approve ${showName(name)}` });
    if (standing.kind === 'untrusted')
      found.set(name, { server: name, why: untrustedText(standing), command: trustCommand(standing.folder) });
  }
  return [...found.values()];
}

export function skippedNotes(skipped: readonly Skipped[], what: string): readonly string[] {
  return skipped.map(({ server, why, command }) => showLine(`${what}: ${server} ${why}. Run: ${command}`));
}

/** Throws when the lock of a server is broken: its pins are unknown, so nothing can be written beside them. */
export async function refuseBroken(lockable: readonly Lockable[], { locks }: HostConfig): Promise<void> {
  const { lockHint } = await import('../config/edit/lock-files.js');
  for (const { server } of lockable) {
    const lock = locks.get(server.name);
    if (lock?.kind === 'broken') throw new HostError('config-invalid', lock.reason, { hint: lockHint(lock.file) });
  }
}

/** How a face opens a host for the servers that can be pinned; none is opened when there are no such servers. */
export function pinOpening<Args>(
  choose: (loaded: HostConfig, args: Args) => Promise<readonly Lockable[]>,
): HostOpening<Args> {
  return {
    servers: async (loaded, args) => (await choose(loaded, args)).map(({ server }) => server.name),
    isNeeded: async (loaded, args) => (await choose(loaded, args)).length > 0,
    isReport: true,
  };
}

/** What a server offers now, in the form in which it would be pinned. */
export interface OfferedNow extends Lockable {
  readonly now: LockedServer;
  /** A short hash of everything offered, which the user can pass to accept exactly what was shown. */
  readonly definition: string;
  readonly definitions: ReadonlyMap<string, PinnedDefinition>;
}

export interface Unreached {
  readonly server: string;
  readonly error: HostError;
}

export interface Offers {
  readonly offered: readonly OfferedNow[];
  readonly failed: readonly Unreached[];
}

/** Starts the servers and reads what they offer. A server that cannot be reached or read is in `failed`. */
export async function collectOffers(
  on: ActionPlace,
  lockable: readonly Lockable[],
  context: ActionContext,
): Promise<Offers> {
  if (lockable.length === 0) return { offered: [], failed: [] };
  const place = hostOf(on);
  const opened = place.host[inside];
  for (const { server } of lockable) startIdle(opened.server(server.name));
  const { kind } = await waitFor(place.host.settled(), context);
  if (kind === 'interrupted') throw new HostError('cancelled', 'Stopped while servers were being connected');
  const offered: OfferedNow[] = [];
  const failed: Unreached[] = [];
  for (const one of lockable) {
    const { name } = one.server;
    const found = await look(one, { lifecycle: opened.server(name), context: opened.loaded.context });
    if (found instanceof HostError) failed.push({ server: name, error: found });
    else offered.push(found);
  }
  return { offered, failed: await diagnosedServers(failed, place.host) };
}

async function look(
  lockable: Lockable,
  { lifecycle, context }: { readonly lifecycle: ServerLifecycle | undefined; readonly context: ConfigContext },
): Promise<OfferedNow | HostError> {
  const { installedPackage } = await import('../config/approval/installed-package.js');
  const { entryPin } = await import('../config/edit/lock-files.js');
  const { programPins } = await import('../config/approval/program-files.js');
  const { offeredPins } = await import('../guard/pins.js');
  const { server } = lockable;
  const { name } = server;
  const error = lifecycle ? absenceOf(lifecycle) : new HostError('internal', `Server "${name}" was not started`);
  if (error || !lifecycle) return error!;
  const definitions = new Map<string, PinnedDefinition>();
  const offered = await offeredPins(lifecycle.catalog, {
    see: (pin, definition) => void definitions.set(pin, definition),
  });
  const lost = [...offered.tools, ...offered.prompts].find(({ pin }) => pin === undefined);
  if (lost) return new HostError('internal', `Server "${name}" lists "${lost.name}" but does not define it`);
  const pins = (items: typeof offered.tools): ReadonlyMap<string, string> =>
    new Map(items.map((item) => [item.name, item.pin!]));
  const now: LockedServer = {
    entry: entryPin(server),
    package: installedPackage(server, context.cwd),
    files: programPins(server, context),
    instructions: offered.instructions,
    tools: pins(offered.tools),
    prompts: pins(offered.prompts),
  };
  return { ...lockable, now, definition: sha256Hex(formatLock(new Map([[name, now]]))).slice(0, 16), definitions };
}

/** Why a server cannot be pinned now: an incomplete list would drop the pins of the missing part. */
function absenceOf({ name, status, catalog, listProblems }: ServerLifecycle): HostError | undefined {
  if ('error' in status) return status.error;
  const late = (['tools', 'prompts'] as const).find((list) => catalog.isFetching(list));
  if (status.kind !== 'connected' || late !== undefined) {
    const what = status.kind === 'connected' ? `list its ${late}` : 'connect';
    return new HostError('connect-timeout', `Server "${name}" did not ${what} in time`, {
      hint: 'Raise --timeout',
    });
  }
  return listProblems.get('tools') ?? listProblems.get('prompts');
}

export function failedNotes(failed: readonly Unreached[], consequence: string): readonly ToldNote[] {
  return failed.map(({ server, error }) => errorNote(error, `"${server}" ${consequence}: ${error.message}`));
}

/** For example `3 tools, 1 prompt, instructions, package x 1.2.3, file server.mjs`. */
export function countText({ tools, prompts, instructions, package: installed, files }: LockedServer): string {
  return [
    countOf(tools.size, 'tool'),
    ...(prompts.size === 0 ? [] : [countOf(prompts.size, 'prompt')]),
    ...(instructions === undefined ? [] : ['instructions']),
    ...(installed ? [`package ${installed.name} ${installed.version}`] : []),
    ...[...(files?.keys() ?? [])].map((file) => `file ${file}`),
  ].join(', ');
}
