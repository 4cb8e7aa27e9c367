import { attempt } from '../../base/attempt.js';
import { accessSync, constants, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HostError } from '../../base/errors.js';
import { foldersAround, homeFolders, keyPlaces } from '../key-places.js';
import { isWithin } from '../files/path-within.js';
import { makePrivateFolder } from '../files/private-folder.js';
import type { StartProcessOptions } from '../processes/process-tree.js';
import type { SandboxSettings } from './sandbox.js';
import type { SandboxPlan } from './sandbox-arguments.js';
import { planHomes } from './sandbox-homes.js';
import { isSocket, findRealPath, toReadable, toWritable } from './sandbox-paths.js';

export interface PlanRequest extends Pick<StartProcessOptions, 'name' | 'command' | 'cwd' | 'ownsCwd'> {
  readonly settings: SandboxSettings;
  /** The host's own environment: shows where the user keeps keys. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Plugboard's own folders: created where missing, so that they can be hidden before anything is in them. */
  readonly secret: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** Decides what a server sees of this machine. Rejects with a `HostError` that names the path. */
export async function planSandbox(request: PlanRequest): Promise<SandboxPlan> {
  const { name, command, variables, env, settings } = request;
  const { network = false } = settings;
  const secret = await findSecret(request.secret);
  const own = ownFolders();
  const cwd = realpathSync.native(request.cwd);
  const homes = homeFolders(env);
  const paths = { name, cwd, homes, secret };
  const read = (settings.read ?? []).flatMap((path) => toReadable(path, paths));
  // Naming a folder around a key place does not reveal the place.
  const keys = keyPlaces(env).filter((place) => !read.includes(place) && !read.includes(findRealPath(place) ?? place));
  const realKeys = keys.flatMap((place) => findRealPath(place) ?? []);
  const kept = request.ownsCwd === true ? [cwd] : [];
  refuseHidden({ name, cwd, command, secret, keys: realKeys, read, kept });
  const named = (settings.write ?? []).map((path) =>
    toWritable(path, { ...paths, hidden: realKeys, read, within: settings.writeWithin }),
  );
  const write = [...named, ...kept];
  const isOwn = (path: string): boolean => own.some((folder) => isWithin(path, folder));
  const needed = new Set([cwd, ...read, ...placesOfProgram(command, own), ...(network ? resolverFile() : [])]);
  const show = [...needed].filter((path) => isOwn(path) && !own.includes(path) && !write.includes(path));
  const isVisible = (path: string): boolean =>
    !isOwn(path) || [...show, ...write].some((folder) => isWithin(path, folder));
  const seen = [...new Set(homes.flatMap((home) => findRealPath(home) ?? []))].filter(isVisible);
  const around = foldersAround(keys, seen).filter((path) => isVisible(path) && !write.some((at) => isWithin(path, at)));
  const planned = planHomes({ homes: [...seen, ...around], hide: [...secret, ...keys] });
  const hidden = planned.hidden.filter(({ path }) => secret.includes(path) || isVisible(path));
  return {
    network,
    cwd: isOwn(cwd) ? cwd : request.cwd,
    write,
    show,
    own,
    links: own.flatMap(linksIn),
    homes: planned.homes,
    hidden,
    revealed: [
      ...read.filter((path) => findRealPath(path) === path && realKeys.some((place) => isWithin(path, place))),
      ...kept,
    ],
    // A socket inside a hidden path is not visible anyway.
    sockets: listeningSockets().filter(
      (path) => isVisible(path) && ![...secret, ...realKeys].some((place) => isWithin(path, place)),
    ),
    // To connect to a socket, a server must be able to create its own.
    unixSockets: settings.sockets === true || write.some(isSocket),
    variables,
    isRoot: process.getuid?.() === 0,
  };
}

interface Visible {
  readonly name: string;
  readonly cwd: string;
  readonly command: string;
  readonly secret: readonly string[];
  readonly keys: readonly string[];
  readonly read: readonly string[];
  /** Visible although inside a hidden path. */
  readonly kept: readonly string[];
}

function refuseHidden({ name, cwd, command, secret, keys, read, kept }: Visible): void {
  for (const [what, path] of [
    ['working directory', cwd],
    ['program', realpathSync.native(command)],
  ] as const) {
    const folder = [...secret, ...keys].find((place) => isWithin(path, place));
    if (folder === undefined || kept.includes(path)) continue;
    if (!secret.includes(folder) && read.some((named) => isWithin(path, named))) continue;
    throw new HostError(
      'start-failed',
      `Server "${name}" cannot run in a sandbox: its ${what} ${path} lies in ${folder}, which a sandbox hides`,
      {
        hint: secret.includes(folder)
          ? 'Move it to another folder: Plugboard keeps credentials in this one'
          : 'Move it to another folder, or name this one in "read" of its sandbox, in an entry of your own',
      },
    );
  }
}

/** The smallest plan, to find out whether bubblewrap works. */
export function plainSandbox({ network }: { readonly network: boolean }): SandboxPlan {
  const none = { write: [], show: [], links: [], homes: [], hidden: [], revealed: [], sockets: [], variables: {} };
  return { ...none, network, unixSockets: false, cwd: '/', own: ownFolders(), isRoot: process.getuid?.() === 0 };
}

async function findSecret(secret: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const folder of secret) {
    // A folder that cannot be created has nothing to hide.
    await makePrivateFolder(folder).catch(() => {});
    const real = findRealPath(folder);
    if (real !== undefined) found.add(real);
  }
  const all = [...found];
  return all.filter((path) => !all.some((other) => other !== path && isWithin(path, other)));
}

/** /run has the sockets of docker, D-Bus and the like. */
function ownFolders(): readonly string[] {
  return ['/tmp', '/run', '/var/run'].filter((folder) => findRealPath(folder) === folder);
}

function placesOfProgram(command: string, own: readonly string[]): readonly string[] {
  return [command, realpathSync.native(command)].map((program) =>
    own.includes(dirname(program)) ? program : dirname(program),
  );
}

/** The file of systemd or NetworkManager that /etc/resolv.conf links to. */
function resolverFile(): readonly string[] {
  const file = findRealPath('/etc/resolv.conf');
  return file === undefined ? [] : [file];
}

/** Some systems reach their programs through a link there: /run/current-system. */
function linksIn(folder: string): SandboxPlan['links'] {
  // A folder that cannot be listed has no links to keep.
  return attempt(
    () =>
      readdirSync(folder, { withFileTypes: true })
        .filter((entry) => folder !== '/tmp' && entry.isSymbolicLink())
        .map((entry) => join(folder, entry.name))
        .map((path) => ({ path, target: readlinkSync(path) })),
    [],
  );
}

/** Paths of sockets that a program listens on and that this user may connect to. */
function listeningSockets(): readonly string[] {
  let table: string;
  try {
    table = readFileSync('/proc/net/unix', 'utf8');
  } catch {
    return []; // a kernel without Unix sockets
  }
  const bound = table.split('\n').flatMap((line) => LISTENING.exec(line)?.[1] ?? []);
  return [...new Set(bound.flatMap((path) => findRealPath(path) ?? []))].filter(isReachable);
}

const LISTENING = /^[0-9a-f]+: \S+ \S+ 00010000 \S+ \S+ +\d+ (\/.*)$/iu;

function isReachable(path: string): boolean {
  try {
    if (!lstatSync(path).isSocket()) return false;
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false; // removed meanwhile, or no permission
  }
}
