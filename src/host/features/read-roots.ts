import { sep } from 'node:path';
import type { ConfigContext } from '../../config/context.js';
import { realPathOf } from '../../edge/files/folders.js';

/**
 * The folders that a model may read files of, unasked: the project's, and where results are saved. What has the user's home in it is
 * no project, wherever somebody happens to start: all keys and letters that they have are there.
 */
export function readRoots(
  { projectRoot, cwd, places: { home } }: Pick<ConfigContext, 'projectRoot' | 'cwd' | 'places'>,
  results: string | undefined,
): readonly string[] {
  const real = home === undefined ? undefined : (realPathOf(home) ?? home);
  const projects = [projectRoot, cwd].filter((folder) => real === undefined || !isAround(folder, real));
  return [results, ...projects].filter((root) => root !== undefined);
}

/** Whether the one is the other, or lies in it. */
export function isAround(folder: string, inner: string): boolean {
  return inner === folder || inner.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
