import { attempt } from '../../base/attempt.js';
import { lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { HostError } from '../../base/errors.js';
import { shellWord } from '../../base/shell-word.js';
import { isWithin } from '../files/path-within.js';

export interface PathOptions {
  /** The server's, for messages. */
  readonly name: string;
  /** Its working directory, by its real path. */
  readonly cwd: string;
  /** The user's home folders. `~` is the first. */
  readonly homes: readonly string[];
  /** Plugboard's own folders, by their real paths: no entry opens them. */
  readonly secret: readonly string[];
}

export interface WritableOptions extends PathOptions {
  /** Places of keys, by their real paths, and what the entry names in `read`. */
  readonly hidden: readonly string[];
  readonly read: readonly string[];
  /** Where a policy lets servers write. Undefined: wherever the entry says. */
  readonly within?: readonly string[] | undefined;
}

/** The real path that an entry means with one of `write`. Also for doctor, which tells it before anything is started. */
export function toWritable(path: string, options: WritableOptions): string {
  const { cwd, homes, secret, hidden, read, within } = options;
  const refuse = refusal(path, { field: 'write', name: options.name });
  const full = toFull(path, options);
  let real: string;
  try {
    real = realpathSync.native(full);
  } catch (cause) {
    throw refuse(
      `leads to ${full}, which is not there`,
      `Make it: mkdir -p ${shellWord(full)}, or mend "write"`,
      cause,
    );
  }
  // Whoever fills the folder could otherwise choose what an entry that names `out` makes writable.
  if (!isAbsolute(path) && isWithin(full, cwd) && !isWithin(real, cwd)) {
    throw refuse(`is a link that leads out of ${cwd}, to ${real}`, 'Write the full path if that is what is meant');
  }
  const system = SYSTEM.find((folder) => isWithin(real, folder));
  if (system !== undefined) throw refuse(`lies in ${system}, which stays the system's`, 'Take it out of "write"');
  // Shells, programs and keys that the user's other programs trust are all there: a sandbox around that keeps nothing in.
  const home = homes.find((folder) => isWithin(findRealPath(folder) ?? folder, real) || isWithin(folder, real));
  if (real === '/' || home !== undefined) {
    const what = real === '/' ? 'is the whole file system' : `holds your home folder ${home}`;
    const is = real === home || real === findRealPath(home ?? '') ? 'is your home folder' : what;
    throw refuse(is, 'Name the folders in it that the server is to write to');
  }
  refuseOwn(real, { secret, refuse, field: 'write' });
  const keys = hidden.find((place) => isWithin(real, place));
  if (keys !== undefined && !read.some((named) => isWithin(real, named))) {
    throw refuse(`lies in ${keys}, which a sandbox hides`, 'Name it in "read" as well, in an entry of your own');
  }
  if (within && !within.some((place) => isWithin(real, findRealPath(toFull(place, options)) ?? '\0'))) {
    throw refuse(`leads to ${real}, where requireSandbox lets no server write`, 'Take it out of "write"');
  }
  return real;
}

/** What an entry means with one of `read`: as it is written, and its real path. Nothing where there is nothing to read. */
export function toReadable(path: string, options: PathOptions): readonly string[] {
  const full = toFull(path, options);
  const real = findRealPath(full);
  if (real === undefined) return [];
  const refuse = refusal(path, { field: 'read', name: options.name });
  refuseOwn(real, { secret: options.secret, refuse, field: 'read' });
  return [...new Set([full, real])];
}

/** Whether it is a socket that the server is to talk to. */
export function isSocket(path: string): boolean {
  return attempt(() => lstatSync(path).isSocket(), false); // gone meanwhile
}

export function findRealPath(path: string): string | undefined {
  return attempt(() => realpathSync.native(path));
}

const SYSTEM = ['/dev', '/proc', '/sys'];

function toFull(path: string, { cwd, homes }: PathOptions): string {
  if (path === '~' || path.startsWith('~/')) return join(homes[0] ?? homedir(), path.slice(1));
  return resolve(cwd, path);
}

type Refuse = (reason: string, hint: string, cause?: unknown) => HostError;

function refusal(path: string, { field, name }: { readonly field: string; readonly name: string }): Refuse {
  return (reason, hint, cause) =>
    new HostError('start-failed', `Server "${name}" cannot be started: sandbox.${field} "${path}" ${reason}`, {
      hint,
      cause,
    });
}

interface OwnOptions {
  readonly secret: readonly string[];
  readonly refuse: Refuse;
  readonly field: string;
}

function refuseOwn(real: string, { secret, refuse, field }: OwnOptions): void {
  const folder = secret.find((own) => isWithin(real, own));
  if (folder !== undefined) throw refuse(`lies in ${folder}, Plugboard's own folder`, `Take it out of "${field}"`);
}
