import { attempt, succeeds } from '../../base/attempt.js';
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The names of the folders in a folder, links to some included, sorted; none when it is not there. */
export function listFolders(folder: string): readonly string[] {
  // No such folder: nothing is in it.
  return attempt(
    () =>
      readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
        .map(({ name }) => name)
        .toSorted(),
    [],
  );
}

export function isThere(path: string): boolean {
  return existsSync(path);
}

/** Whether a path leads to something that can be read as a file: a link to one is one, a folder is none. */
export function isFile(path: string): boolean {
  // Too long, or not to be looked at: nothing reads it there.
  return attempt(() => statSync(path, { throwIfNoEntry: false })?.isDirectory() === false, false);
}

export function isFolder(path: string): boolean {
  // What may not be looked at cannot be entered either.
  return attempt(() => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true, false);
}

/** Whether this user may run a file. On Windows that is no property of a file. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return process.platform !== 'win32';
  } catch {
    return false;
  }
}

/** Whether something can be written below a folder. The nearest one that exists decides: the rest will be made. */
export function isWritable(folder: string): boolean {
  let existing = folder;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  return succeeds(() => accessSync(existing, constants.W_OK));
}

/** Whether others on this machine may read a file. */
export function isReadableByOthers(file: string): boolean {
  return attempt(() => process.platform !== 'win32' && (statSync(file).mode & 0o044) !== 0, false); // not a file: nobody reads it there
}

/** Where a path really leads, a link to nothing included; undefined when there is nothing at all. */
export function realPathOf(path: string): string | undefined {
  const real = attempt(() => realpathSync.native(path));
  return real ?? (isDangling(path) ? resolve(dirname(path), readlinkSync(path)) : undefined);
}

/** A link to nothing: someone wanted something to be there. */
export function isDangling(path: string): boolean {
  // Not even its folder can be looked into.
  return attempt(
    () => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true && !existsSync(path),
    false,
  );
}
