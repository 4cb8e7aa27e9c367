import { attempt } from '../../base/attempt.js';
import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isWithin } from '../files/path-within.js';
import { findRealPath } from './sandbox-paths.js';

/** A home folder, or a folder with keys in it, as a server sees it: its content at the start without hidden paths. */
export interface SandboxHome {
  readonly path: string;
  /** `target`: of a symbolic link. */
  readonly entries: readonly { readonly path: string; readonly target?: string }[];
}

/** A path that the server sees as an empty folder or an unreadable file. */
export interface HiddenPlace {
  readonly path: string;
  readonly isFolder: boolean;
}

export interface HomesRequest {
  /** Real paths of the visible home folders, and of folders in them that hold keys beside other files. */
  readonly homes: readonly string[];
  /** All paths to hide, existing or not; links are followed. */
  readonly hide: readonly string[];
}

/**
 * A mount over a file is lost when the file is replaced, as shells do with histories and npm with .npmrc. So a home
 * folder is built anew from its entries without the hidden ones, and never shows later ones. Deeper hidden paths are
 * mounted over.
 */
export function planHomes({ homes, hide }: HomesRequest): {
  readonly homes: readonly SandboxHome[];
  readonly hidden: readonly HiddenPlace[];
} {
  const places = new Map(hide.flatMap((path) => toPlace(path)).map((place) => [place.path, place]));
  const all = new Set([...hide.flatMap((path) => [path, whereItLies(path)]), ...places.keys()]);
  const made = homes.flatMap((path) => makeHome(path, all) ?? []);
  const isLeftOut = (path: string): boolean => made.some((home) => dirname(path) === home.path);
  const hidden = [...places.values()].filter(
    ({ path }) => !isLeftOut(path) && ![...places.keys()].some((other) => other !== path && isWithin(path, other)),
  );
  return { homes: made, hidden };
}

/** Whether the folder has too many entries to be built anew: then a hidden file shows again once it is replaced. */
export function isTooFull(home: string): boolean {
  return attempt(() => readdirSync(home).length > MOST_ENTRIES, false); // missing, or not readable
}

const MOST_ENTRIES = 300; // bubblewrap takes 20 ms for 60 entries, and 150 ms for 300

/** Returns undefined when the folder cannot be built anew: then its hidden paths are mounted over. */
function makeHome(path: string, hidden: ReadonlySet<string>): SandboxHome | undefined {
  try {
    const found = readdirSync(path, { withFileTypes: true });
    if (found.length > MOST_ENTRIES) return undefined;
    const entries = found.flatMap((entry) => {
      const full = join(path, entry.name);
      if (hidden.has(full)) return [];
      return [entry.isSymbolicLink() ? { path: full, target: readlinkSync(full) } : { path: full }];
    });
    return { path, entries };
  } catch {
    return undefined; // missing, or not readable
  }
}

/** Follows the links of the path's folder, but not the path itself. */
function whereItLies(path: string): string {
  return join(findRealPath(dirname(path)) ?? dirname(path), basename(path));
}

/** The real path to hide; empty when it does not exist. */
function toPlace(path: string): readonly HiddenPlace[] {
  const real = findRealPath(path);
  // Users link their history to /dev/null to have none.
  if (real === undefined || /^\/(?:dev|proc|sys)(?:\/|$)/u.test(real) || real === '/') return [];
  return attempt(() => [{ path: real, isFolder: statSync(real).isDirectory() }], []); // removed meanwhile
}
