// https://modelcontextprotocol.io/specification/2025-11-25/client/roots
import { statSync } from 'node:fs';
import { basename, join, parse, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ConfigContext } from '../../config/context.js';
import { realPathOf } from '../../edge/files/folders.js';
import type { CallerRoot } from '../../model/caller.js';
import { isAround } from './read-roots.js';
import type { ClientFeatures } from './client-features.js';

export interface RootsOptions {
  readonly context: Pick<ConfigContext, 'projectRoot' | 'cwd' | 'places' | 'moreFolders'>;
  /**
   * The entry's `roots`. `false`: no roots are declared at all, because some servers (server-filesystem) drop the
   * folders on their command line once a host declares any. Paths are relative to the project; `~/` means the home
   * folder.
   */
  readonly roots?: false | readonly string[] | undefined;
  /** The user id of this process; undefined where folders have no owner. */
  readonly uid?: number | undefined;
  /** Where the folders for entries without `roots` may have been found already. */
  readonly project?: ProjectRoots | undefined;
}

/** The project's folders: found once for all servers whose entries name none. */
export class ProjectRoots {
  #found: { readonly context: RootsOptions['context']; readonly roots: readonly CallerRoot[] } | undefined;

  of(context: RootsOptions['context']): readonly CallerRoot[] {
    if (this.#found?.context !== context) this.#found = { context, roots: findRoots({ context, roots: undefined }) };
    return this.#found.roots;
  }
}

/** Declares the project's folders to a server as roots. */
export function rootsFeature({ roots, project, ...options }: RootsOptions): ClientFeatures {
  if (roots === false) return {};
  // Links are resolved once: a link that a server replaces later does not become a root.
  const found = project && roots === undefined ? project.of(options.context) : findRoots({ roots, ...options });
  return { capabilities: { roots: {} }, handlers: { 'roots/list': () => ({ roots: found }) } };
}

/**
 * The project folder with those that this run adds, or the folders that an entry names. Never the user's home, a folder around it, or another user's
 * folder: a server takes a root as an invitation to read all of it.
 */
export function findRoots({
  context,
  roots: written,
  uid = process.getuid?.(),
}: RootsOptions & { readonly roots: readonly string[] | undefined }): readonly CallerRoot[] {
  const { projectRoot, cwd, places, moreFolders = [] } = context;
  const choose = (paths: readonly string[]): readonly string[] => chooseRoots(paths, places.home, uid);
  const named = written?.slice(0, ROOT_LIMIT).map((path) => resolve(projectRoot, underHome(path, places.home)));
  // Some users have their whole home in git: then the working directory is taken.
  const roots = named
    ? choose(named)
    : [...new Set([...choose([projectRoot, cwd]).slice(0, 1), ...choose(moreFolders.slice(0, ROOT_LIMIT))])];
  return roots.map(toRoot);
}

const ROOT_LIMIT = 100;

function underHome(path: string, home: string | undefined): string {
  return home !== undefined && (path === '~' || path.startsWith('~/')) ? join(home, path.slice(1)) : path;
}

function chooseRoots(paths: readonly string[], home: string | undefined, uid: number | undefined): readonly string[] {
  const realHome = home === undefined ? undefined : (realPathOf(home) ?? home);
  const folders = paths.map((path) => realPathOf(path)).filter((path) => path !== undefined);
  return [...new Set(folders)].filter(
    // Without a known home the file system's root is excluded all the same: a home is somewhere below it.
    (folder) =>
      isOwnFolder(folder, uid) &&
      folder !== parse(folder).root &&
      !(realHome !== undefined && isAround(folder, realHome)),
  );
}

/** Folders of root are for all users, and root itself may work anywhere, as in a container with mounted folders. */
function isOwnFolder(path: string, uid: number | undefined): boolean {
  try {
    const stats = statSync(path);
    return stats.isDirectory() && (uid === undefined || uid === 0 || stats.uid === 0 || stats.uid === uid);
  } catch {
    return false; // a dangling link, or removed meanwhile
  }
}

function toRoot(folder: string): CallerRoot {
  return { uri: pathToFileURL(folder).href, name: basename(folder) || folder };
}
