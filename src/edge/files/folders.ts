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
import { basename, dirname, join, resolve } from 'node:path';

/** The names of the folders in a folder, sorted, links included; empty when the folder cannot be read. */
export function listFolders(folder: string): readonly string[] {
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

/** Whether a path exists and is no folder, links followed. */
export function isFile(path: string): boolean {
  // False for a path that is too long or not accessible: nothing can be read from it.
  return attempt(() => statSync(path, { throwIfNoEntry: false })?.isDirectory() === false, false);
}

export function isFolder(path: string): boolean {
  // A folder without permission to stat it cannot be entered either.
  return attempt(() => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true, false);
}

/** Whether this user may run a file. Always false on Windows, where files have no such permission. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return process.platform !== 'win32';
  } catch {
    return false;
  }
}

/** Whether files can be written below a folder. The nearest existing ancestor decides: the rest will be created. */
export function isWritable(folder: string): boolean {
  let existing = folder;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  return succeeds(() => accessSync(existing, constants.W_OK));
}

/** Whether other users of this machine may read a file. Always false on Windows. */
export function isReadableByOthers(file: string): boolean {
  return attempt(() => process.platform !== 'win32' && (statSync(file).mode & 0o044) !== 0, false); // no such file
}

/** The real path, also of a symbolic link whose target is missing; undefined when the path does not exist at all. */
export function realPathOf(path: string): string | undefined {
  return attempt(() => realpathSync.native(path)) ?? (isDangling(path) ? writtenPathOf(path) : undefined);
}

/**
 * Where a file is, or would be written if it is not there yet: any link on the way may lead to a missing file, which may
 * be behind another link. Undefined for links that lead to themselves.
 */
export function writtenPathOf(path: string, links = LINK_LIMIT): string | undefined {
  const real = attempt(() => realpathSync.native(path));
  const folder = dirname(path);
  if (real !== undefined || folder === path) return real ?? path;
  const realFolder = writtenPathOf(folder, links);
  if (realFolder === undefined) return undefined;
  const next = attempt(() => readlinkSync(join(realFolder, basename(path))));
  if (next === undefined) return join(realFolder, basename(path));
  return links > 0 ? writtenPathOf(resolve(realFolder, next), links - 1) : undefined;
}

const LINK_LIMIT = 40; // the limit of Linux

/** Whether a path is a symbolic link whose target is missing. */
export function isDangling(path: string): boolean {
  // False when the folder of the link is not accessible.
  return attempt(
    () => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true && !existsSync(path),
    false,
  );
}
