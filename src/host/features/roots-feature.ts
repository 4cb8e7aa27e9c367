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
  readonly context: Pick<ConfigContext, 'projectRoot' | 'cwd' | 'places'>;
  /**
   * What the entry says. `false`: the server hears nothing of roots at all, for there are servers (server-filesystem) that forget the
   * folders on their command line once a host declares any. Paths are relative to the project; `~/` means the home folder.
   */
  readonly roots?: false | readonly string[] | undefined;
  /** Who runs this; undefined where folders have no owner that could be asked for. */
  readonly uid?: number | undefined;
}

/** Tells a server where the project is. */
export function rootsFeature({ roots, ...options }: RootsOptions): ClientFeatures {
  if (roots === false) return {};
  // Links are followed once: what a server exchanges later on is not told as the project.
  const found = findRoots({ roots, ...options });
  return { capabilities: { roots: {} }, handlers: { 'roots/list': () => ({ roots: found }) } };
}

/**
 * Where the project is, or the folders that an entry names. Never the user's home, nor what that lies in, nor the folder of somebody else: a
 * server takes a root for an invitation to read all of it.
 */
export function findRoots({
  context,
  roots: written,
  uid = process.getuid?.(),
}: RootsOptions & { readonly roots: readonly string[] | undefined }): readonly CallerRoot[] {
  const { projectRoot, cwd, places } = context;
  const choose = (paths: readonly string[]): readonly string[] => chooseRoots(paths, places.home, uid);
  const named = written?.slice(0, ROOT_LIMIT).map((path) => resolve(projectRoot, underHome(path, places.home)));
  // Some have all of their home in git: then it is the folder below.
  const roots = named ? choose(named) : choose([projectRoot, cwd]).slice(0, 1);
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
    // Where no home is known there is still one somewhere below the top.
    (folder) =>
      isOwnFolder(folder, uid) &&
      folder !== parse(folder).root &&
      !(realHome !== undefined && isAround(folder, realHome)),
  );
}

/** Root owns what everybody uses, and may itself work anywhere, as in a container with folders of its host. */
function isOwnFolder(path: string, uid: number | undefined): boolean {
  try {
    const stats = statSync(path);
    return stats.isDirectory() && (uid === undefined || uid === 0 || stats.uid === 0 || stats.uid === uid);
  } catch {
    return false; // a link to nothing, or gone meanwhile
  }
}

function toRoot(folder: string): CallerRoot {
  return { uri: pathToFileURL(folder).href, name: basename(folder) || folder };
}
