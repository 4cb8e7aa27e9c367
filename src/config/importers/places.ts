import { posix, win32, type PlatformPath } from 'node:path';
import type { ImportFile, ImportWhere } from './importer.js';

/** A file below the home folder. */
export function homeFile(where: ImportWhere, ...names: string[]): readonly ImportFile[] {
  return userFile(where, where.home, ...names);
}

/** A file below `$XDG_CONFIG_HOME`, which command-line programs use on every system. */
export function configFile(where: ImportWhere, ...names: string[]): readonly ImportFile[] {
  return userFile(where, folderFrom(where, 'XDG_CONFIG_HOME') ?? below(where, where.home, '.config'), ...names);
}

/** A file in the data folder of a desktop application on this system. */
export function applicationFile(where: ImportWhere, ...names: string[]): readonly ImportFile[] {
  if (where.platform === 'darwin') return homeFile(where, 'Library', 'Application Support', ...names);
  if (where.platform !== 'win32') return configFile(where, ...names);
  return userFile(where, folderFrom(where, 'APPDATA') ?? below(where, where.home, 'AppData', 'Roaming'), ...names);
}

/** A file below the folder that a variable of the other host names; if unset, below `folder` in the home folder. */
export function movableFile(
  where: ImportWhere,
  variable: string,
  [folder, name]: readonly [folder: string, name: string],
): readonly ImportFile[] {
  return userFile(where, folderFrom(where, variable) ?? below(where, where.home, folder), name);
}

/** A file below the folder that a variable of the other host names; none if it is unset. */
export function variableFile(where: ImportWhere, variable: string, ...names: string[]): readonly ImportFile[] {
  return userFile(where, folderFrom(where, variable), ...names);
}

/** Files in the working directory and at the root of the project, nearer first. */
export function projectFile(where: ImportWhere, ...names: string[]): readonly ImportFile[] {
  // In the home folder itself these files are the user's own, not a repository's.
  const folders = new Set([where.cwd, where.projectRoot].filter((folder) => folder !== where.home));
  return [...folders].map((folder) => ({ path: pathsOf(where).join(folder, ...names), level: 'project' }));
}

/** The folder in a variable; undefined if it is relative, because it would change with the working directory. */
function folderFrom(where: ImportWhere, variable: string): string | undefined {
  const value = where.env[variable];
  return value !== undefined && pathsOf(where).isAbsolute(value) ? value : undefined;
}

export function isInside(path: string, folder: string, where: Pick<ImportWhere, 'platform'>): boolean {
  const paths = pathsOf(where);
  return path.startsWith(folder.endsWith(paths.sep) ? folder : folder + paths.sep);
}

function pathsOf({ platform }: Pick<ImportWhere, 'platform'>): PlatformPath {
  return platform === 'win32' ? win32 : posix;
}

function userFile(where: ImportWhere, folder: string | undefined, ...names: string[]): readonly ImportFile[] {
  const path = below(where, folder, ...names);
  return path === undefined ? [] : [{ path, level: 'user' }];
}

function below(where: ImportWhere, folder: string | undefined, ...names: string[]): string | undefined {
  return folder === undefined ? undefined : pathsOf(where).join(folder, ...names);
}
