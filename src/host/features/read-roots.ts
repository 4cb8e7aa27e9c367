import { sep } from 'node:path';
import type { ConfigContext } from '../../config/context.js';
import { realPathOf } from '../../edge/files/folders.js';

/**
 * The folders whose files a model may read without a question: the project, folders of this run, and the saved results. A folder that
 * contains the user's home is no project, wherever the program is started: all the user's keys and mail are in it.
 */
export function readRoots(
  {
    projectRoot,
    cwd,
    places: { home },
    moreFolders = [],
  }: Pick<ConfigContext, 'projectRoot' | 'cwd' | 'places' | 'moreFolders'>,
  results: string | undefined,
): readonly string[] {
  const real = home === undefined ? undefined : (realPathOf(home) ?? home);
  const projects = [projectRoot, cwd, ...moreFolders].filter((folder) => real === undefined || !isAround(folder, real));
  return [results, ...projects].filter((root) => root !== undefined);
}

/** Whether `inner` is `folder`, or lies in it. */
export function isAround(folder: string, inner: string): boolean {
  return inner === folder || inner.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
