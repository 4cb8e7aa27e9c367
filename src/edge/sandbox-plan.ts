import { accessSync, constants, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { HostError } from '../base/errors.js';
import { shellWord } from '../base/shell-word.js';
import { makePrivateFolder } from './private-folder.js';
import { isWithin, type SandboxPlan } from './sandbox-arguments.js';

export interface PlanRequest {
  /** The server's, for messages. */
  readonly name: string;
  /** An absolute path. */
  readonly command: string;
  readonly cwd: string;
  readonly network: boolean;
  /** As the entry has them: relative to the working directory. */
  readonly write: readonly string[];
  /** Folders that no server may see: made where they are missing, so that nothing appears in them later. */
  readonly secret: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** Looks at this machine and says what a server is to see of it. Rejects with a HostError that names the path. */
export async function planSandbox(request: PlanRequest): Promise<SandboxPlan> {
  const { name, command, network, variables } = request;
  const hidden = await findHidden(request.secret);
  const own = ownFolders();
  const cwd = realpathSync.native(request.cwd);
  for (const [what, path] of [
    ['working directory', cwd],
    ['program', realpathSync.native(command)],
  ] as const) {
    const folder = hidden.find((secret) => isWithin(path, secret));
    if (folder === undefined) continue;
    throw new HostError(
      'start-failed',
      `Server "${name}" cannot run in a sandbox: its ${what} ${path} lies in ${folder}, which a sandbox hides`,
      { hint: 'Move it to another folder: Plugboard keeps credentials in this one' },
    );
  }
  const write = request.write.map((path) => toWritable(path, { name, cwd, hidden }));
  const isOwn = (path: string): boolean => own.some((folder) => isWithin(path, folder));
  const needed = new Set([cwd, ...placesOfProgram(command, own), ...(network ? resolverFile() : [])]);
  const show = [...needed].filter((path) => isOwn(path) && !own.includes(path) && !write.includes(path));
  const isVisible = (path: string): boolean =>
    !isOwn(path) || [...show, ...write].some((folder) => isWithin(path, folder));
  return {
    network,
    cwd: isOwn(cwd) ? cwd : request.cwd,
    write,
    show,
    own,
    links: own.flatMap(linksIn),
    hidden,
    sockets: listeningSockets().filter(isVisible),
    variables,
    isRoot: process.getuid?.() === 0,
  };
}

/** What bubblewrap needs anywhere: for finding out whether it runs at all. */
export function plainSandbox({ network }: { readonly network: boolean }): SandboxPlan {
  const none = { write: [], show: [], links: [], hidden: [], sockets: [], variables: {} };
  return { ...none, network, cwd: '/', own: ownFolders(), isRoot: process.getuid?.() === 0 };
}

interface WritableOptions {
  readonly name: string;
  /** Its real path. */
  readonly cwd: string;
  readonly hidden: readonly string[];
}

/** The real path that an entry means with one of `write`. Also for doctor, which tells it before anything is started. */
export function toWritable(path: string, { name, cwd, hidden }: WritableOptions): string {
  const refuse = (reason: string, hint: string, cause?: unknown): HostError =>
    new HostError('start-failed', `Server "${name}" cannot be started: sandbox.write "${path}" ${reason}`, {
      hint,
      cause,
    });
  const full = resolve(cwd, path);
  let real: string;
  try {
    real = realpathSync.native(full);
  } catch (cause) {
    const hint = path.startsWith('~')
      ? 'Write the full path: ~ is not expanded'
      : `Make it: mkdir -p ${shellWord(full)}, or mend "write"`;
    throw refuse(`leads to ${full}, which is not there`, hint, cause);
  }
  // Whoever fills the folder could otherwise choose what an entry that names `out` makes writable.
  if (!isAbsolute(path) && isWithin(full, cwd) && !isWithin(real, cwd)) {
    throw refuse(`is a link that leads out of ${cwd}, to ${real}`, 'Write the full path if that is what is meant');
  }
  const system = SYSTEM.find((folder) => isWithin(real, folder));
  if (system !== undefined) throw refuse(`lies in ${system}, which stays the system's`, 'Take it out of "write"');
  const folder = hidden.find((secret) => isWithin(real, secret));
  if (folder !== undefined) throw refuse(`lies in ${folder}, Plugboard's own folder`, 'Take it out of "write"');
  return real;
}

const SYSTEM = ['/dev', '/proc', '/sys'];

async function findHidden(secret: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const folder of secret) {
    // Where it cannot be made there is nothing to see, and nobody will put anything.
    await makePrivateFolder(folder).catch(() => {});
    const real = realPath(folder);
    if (real !== undefined) found.add(real);
  }
  const all = [...found];
  return all.filter((path) => !all.some((other) => other !== path && isWithin(path, other)));
}

/** /run is where the sockets of docker, D-Bus and the like are. */
function ownFolders(): readonly string[] {
  return ['/tmp', '/run', '/var/run'].filter((folder) => realPath(folder) === folder);
}

function placesOfProgram(command: string, own: readonly string[]): readonly string[] {
  return [command, realpathSync.native(command)].map((program) =>
    own.includes(dirname(program)) ? program : dirname(program),
  );
}

/** Where systemd and NetworkManager keep what /etc/resolv.conf links to. */
function resolverFile(): readonly string[] {
  const file = realPath('/etc/resolv.conf');
  return file === undefined ? [] : [file];
}

/** Some systems have their programs behind a link there: /run/current-system. */
function linksIn(folder: string): SandboxPlan['links'] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => folder !== '/tmp' && entry.isSymbolicLink())
      .map((entry) => join(folder, entry.name))
      .map((path) => ({ path, target: readlinkSync(path) }));
  } catch {
    return []; // nothing to keep where nothing can be listed
  }
}

/** Sockets in the file system that somebody listens at and that we could talk to. */
function listeningSockets(): readonly string[] {
  let table: string;
  try {
    table = readFileSync('/proc/net/unix', 'utf8');
  } catch {
    return []; // a kernel without them
  }
  const bound = table.split('\n').flatMap((line) => LISTENING.exec(line)?.[1] ?? []);
  return [...new Set(bound.flatMap((path) => realPath(path) ?? []))].filter(isReachable);
}

const LISTENING = /^[0-9a-f]+: \S+ \S+ 00010000 \S+ \S+ +\d+ (\/.*)$/iu;

function isReachable(path: string): boolean {
  try {
    if (!lstatSync(path).isSocket()) return false;
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false; // gone, or not ours to talk to
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
