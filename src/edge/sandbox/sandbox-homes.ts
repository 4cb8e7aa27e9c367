import { attempt } from '../../base/attempt.js';
import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isWithin } from '../files/path-within.js';
import { findRealPath } from './sandbox-paths.js';

/** A home folder, or one in it that holds keys as well, as a server sees it: what was in it when the server started, without what is hidden. */
export interface SandboxHome {
  readonly path: string;
  /** With where it leads, if it is a link. */
  readonly entries: readonly { readonly path: string; readonly target?: string }[];
}

/** Something that the server does not see: an empty folder, or a file that cannot be read. */
export interface HiddenPlace {
  readonly path: string;
  readonly isFolder: boolean;
}

export interface HomesRequest {
  /** The user's home folders that the server would see, and folders in them that hold keys beside other things, by their real paths. */
  readonly homes: readonly string[];
  /** All that is to be hidden, there or not, by whatever path leads to it. */
  readonly hide: readonly string[];
}

/**
 * A file that is covered by another one shows again as soon as somebody puts a new one in its place, as shells do with their histories and npm
 * with .npmrc. So a home folder is made anew out of what is in it, without the files and folders that are to be hidden; what appears in it
 * later is not seen either. What is hidden further down is covered.
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

/** Whether it is too full to be made anew: then a hidden file in it shows again once somebody puts another one in its place. */
export function isTooFull(home: string): boolean {
  return attempt(() => readdirSync(home).length > MOST_ENTRIES, false); // it is not there, or may not be listed
}

const MOST_ENTRIES = 300; // bubblewrap takes 20 ms for 60 of them, and 150 for these

/** Undefined where that cannot be done: then everything is covered. */
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
    return undefined; // it is not there, or may not be listed
  }
}

/** With the links in its folder followed, but not one that it is itself. */
function whereItLies(path: string): string {
  return join(findRealPath(dirname(path)) ?? dirname(path), basename(path));
}

/** By its real path; none where there is nothing. */
function toPlace(path: string): readonly HiddenPlace[] {
  const real = findRealPath(path);
  // A link to /dev/null is how people say that they want no history.
  if (real === undefined || /^\/(?:dev|proc|sys)(?:\/|$)/u.test(real) || real === '/') return [];
  return attempt(() => [{ path: real, isFolder: statSync(real).isDirectory() }], []); // gone meanwhile
}
