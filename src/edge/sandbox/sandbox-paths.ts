import { attempt } from '../../base/attempt.js';
import { lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { HostError } from '../../base/errors.js';
import { shellWord } from '../../base/shell-word.js';
import { isWithin } from '../files/path-within.js';

export interface PathOptions {
  /** The server's name, for messages. */
  readonly name: string;
  /** The real path of the server's working directory. */
  readonly cwd: string;
  /** The user's home folders. `~` is the first one. */
  readonly homes: readonly string[];
  /** Real paths of Plugboard's own folders: no entry can reveal them. */
  readonly secret: readonly string[];
}

export interface WritableOptions extends PathOptions {
  /** Real paths of key places; and the paths in the entry's `read`. */
  readonly hidden: readonly string[];
  readonly read: readonly string[];
  /** Folders in which a policy lets servers write. Undefined: everywhere. */
  readonly within?: readonly string[] | undefined;
}

/** The real path of an item of `write`. Throws a `HostError`. Also used by doctor, before anything is started. */
export function toWritable(path: string, options: WritableOptions): string {
  const { cwd, homes, secret, hidden, read, within } = options;
  const refuse = refusal(path, { field: 'write', name: options.name });
  const full = toFull(path, options);
  let real: string;
  try {
    real = realpathSync.native(full);
  } catch (cause) {
    throw refuse(
      `leads to ${full}, which does not exist`,
      `Make it: mkdir -p ${shellWord(full)}, or correct "write"`,
      cause,
    );
  }
  // Otherwise the author of the folder's content could choose what an entry with `out` makes writable.
  if (!isAbsolute(path) && isWithin(full, cwd) && !isWithin(real, cwd)) {
    throw refuse(`is a link that leads out of ${cwd}, to ${real}`, 'Write the full path if you mean that file');
  }
  const system = SYSTEM.find((folder) => isWithin(real, folder));
  if (system !== undefined) throw refuse(`lies in ${system}, which belongs to the system`, 'Take it out of "write"');
  // Shells, programs and keys that other programs trust are there: with these writable a sandbox confines nothing.
  const home = homes.find((folder) => isWithin(findRealPath(folder) ?? folder, real) || isWithin(folder, real));
  if (real === '/' || home !== undefined) {
    const what = real === '/' ? 'is the whole file system' : `holds your home folder ${home}`;
    const is = real === home || real === findRealPath(home ?? '') ? 'is your home folder' : what;
    throw refuse(is, 'Name the folders in it that the server may write to');
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

/** An item of `read`: the path as written, and its real path. Empty when it does not exist. */
export function toReadable(path: string, options: PathOptions): readonly string[] {
  const full = toFull(path, options);
  const real = findRealPath(full);
  if (real === undefined) return [];
  const refuse = refusal(path, { field: 'read', name: options.name });
  refuseOwn(real, { secret: options.secret, refuse, field: 'read' });
  return [...new Set([full, real])];
}

export function isSocket(path: string): boolean {
  return attempt(() => lstatSync(path).isSocket(), false); // removed meanwhile
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
