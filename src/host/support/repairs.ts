import { chmodSync, lstatSync, readdirSync, rmdirSync, type Stats, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, succeeds } from '../../base/attempt.js';
import { holdsSecret } from '../../config/edit/mask.js';
import type { HostConfig } from '../../config/load.js';
import { newOwner, ownerState, parseOwner } from '../../edge/files/lock-owner.js';
import { isWithin } from '../../edge/files/path-within.js';

/** Something that can be put right without asking: nothing is lost by it, and it concerns only files of Plugboard. */
export interface Repair {
  readonly code: 'permissions' | 'stale-lock' | 'leftover' | 'expired-cache';
  readonly file: string;
  readonly message: string;
}

export interface PlannedRepair extends Repair {
  /** False: it could not be done. */
  readonly apply: () => boolean;
}

/** What can be repaired in Plugboard's own folders. Follows no link, and looks at no file of a repository. */
export function findRepairs(loaded: HostConfig, now: number): readonly PlannedRepair[] {
  const { config, state, cache } = loaded.context.places;
  return [
    ...[state, state && join(state, 'credentials')].flatMap((folder) => (folder ? openFolder(folder) : [])),
    ...(state ? entriesIn(join(state, 'credentials')).flatMap((entry) => openFile(entry, 'sign-ins')) : []),
    ...secretFiles(loaded).flatMap((path) => openFile({ path, stats: statsOf(path) }, 'a secret')),
    ...[config, config && join(config, 'projects'), state, state && join(state, 'credentials'), cache]
      .filter((folder) => folder !== undefined)
      .flatMap((folder) => entriesIn(folder).flatMap(leftBehind)),
    ...(state ? expired(join(state, 'needs-auth'), { now, lifetime: NEEDS_AUTH_MS, what: 'a needed sign-in' }) : []),
    ...(cache ? expired(join(cache, 'eras'), { now, lifetime: ERAS_MS, what: 'a protocol era' }) : []),
  ];
}

const NEEDS_AUTH_MS = 15 * 60_000; // as long as the host itself believes it
const ERAS_MS = 7 * 86_400_000;
const FILES_LIMIT = 2000;

interface Entry {
  readonly path: string;
  readonly stats: Stats | undefined;
}

/** Of a folder that is a link nothing: what is behind it may be anybody's. */
function entriesIn(folder: string): Entry[] {
  if (statsOf(folder)?.isDirectory() !== true) return [];
  const names = attempt(() => readdirSync(folder).toSorted()) ?? [];
  return names.slice(0, FILES_LIMIT).map((name) => ({ path: join(folder, name), stats: statsOf(join(folder, name)) }));
}

/** Of the entry itself: a link is not followed. */
function statsOf(path: string): Stats | undefined {
  return attempt(() => lstatSync(path));
}

/** Windows has no such modes; a file of another user is left alone. */
function isOpen(stats: Stats | undefined): stats is Stats {
  if (process.platform === 'win32' || !stats || stats.isSymbolicLink()) return false;
  return stats.uid === process.getuid?.() && (stats.mode & 0o077) !== 0;
}

function openFolder(folder: string): PlannedRepair[] {
  const stats = statsOf(folder);
  if (!isOpen(stats) || !stats.isDirectory()) return [];
  return [closing(folder, stats, `the folder ${folder} is open to other users`)];
}

function openFile({ path, stats }: Entry, what: string): PlannedRepair[] {
  if (!isOpen(stats) || !stats.isFile()) return [];
  return [closing(path, stats, `${path} holds ${what} and is open to other users`)];
}

function closing(file: string, { mode }: Stats, message: string): PlannedRepair {
  const written = `${message} (mode ${(mode & 0o777).toString(8)}, should be ${(mode & 0o700).toString(8)})`;
  return { code: 'permissions', file, message: written, apply: () => succeeds(() => chmodSync(file, mode & 0o700)) };
}

/** Plugboard's own configuration files with a secret in them. Shared files and those of other hosts are not ours. */
function secretFiles({ servers, context: { places } }: HostConfig): readonly string[] {
  const { config } = places;
  const own = servers.filter(
    ({ scope, origin, written }) =>
      (scope === 'user' || scope === 'local') &&
      config !== undefined &&
      isWithin(origin, config) &&
      written !== undefined &&
      holdsSecret(written),
  );
  return [...new Set(own.map(({ origin }) => origin))];
}

/** Locks and half-written files of processes that are gone. */
function leftBehind({ path, stats }: Entry): PlannedRepair[] {
  const self = newOwner();
  const isGone = (name: string): boolean => {
    const owner = parseOwner(name);
    return owner !== undefined && ownerState(owner, self) === 'gone';
  };
  if (stats?.isDirectory() === true && path.endsWith('.lock')) {
    const holders = attempt(() => readdirSync(path)) ?? [];
    if (holders.length === 0 || !holders.every(isGone)) return [];
    const message = `the lock ${path} belongs to a process that is gone`;
    const apply = (): boolean =>
      succeeds(() => {
        // By the names that were looked at: another process may take the lock meanwhile.
        for (const holder of holders) unlinkSync(join(path, holder));
        rmdirSync(path);
      });
    return [{ code: 'stale-lock', file: path, message, apply }];
  }
  const owner = /\.([\da-f-]+)\.tmp$/u.exec(path)?.[1];
  if (stats?.isFile() !== true || owner === undefined || !isGone(owner)) return [];
  const message = `the half-written file ${path} belongs to a process that is gone`;
  return [{ code: 'leftover', file: path, message, apply: () => succeeds(() => unlinkSync(path)) }];
}

interface Expiry {
  readonly now: number;
  readonly lifetime: number;
  readonly what: string;
}

function expired(folder: string, { now, lifetime, what }: Expiry): PlannedRepair[] {
  const old = entriesIn(folder).filter(
    ({ path, stats }) => stats?.isFile() === true && path.endsWith('.json') && now - stats.mtimeMs > lifetime,
  );
  if (old.length === 0) return [];
  const message = `${old.length} expired cache files about ${what} in ${folder}`;
  const apply = (): boolean => old.map(({ path }) => succeeds(() => unlinkSync(path))).every(Boolean);
  return [{ code: 'expired-cache', file: folder, message, apply }];
}
