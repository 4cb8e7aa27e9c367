import { lstat, lutimes, opendir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { newOwner } from '../files/lock-owner.js';
import { errorCodeOf } from '../files/write-error.js';
import { type OwnerState, PART, readName } from './result-names.js';

/** How much a folder of saved results may hold. */
export interface FolderLimits {
  readonly bytes: number;
  /** How long a file is kept after it was written or last read. */
  readonly ageMs: number;
}

export interface TidyOptions extends FolderLimits {
  readonly now: number;
  /** Units that a writer needs beside what is there. */
  readonly needed?: number;
}

/** What a file counts as, in units of 4 KB. At least 32 KB, so that there are never too many files to look at. */
export function unitsOf(bytes: number): number {
  return Math.max(LEAST_UNITS, Math.ceil(bytes / UNIT_BYTES));
}

export const UNIT_BYTES = 4_096;
const LEAST_UNITS = 8;

/**
 * Deletes what is too old, and the oldest where all is too much: then so many that one result more does not need this
 * again. Files of hosts that are open go last, because a conversation may mention them; unfinished ones stay. Only
 * regular files whose names Plugboard gave are counted and deleted. Returns the units that are left. Rejects where the
 * folder cannot be listed.
 */
export async function tidyFolder(folder: string, options: TidyOptions): Promise<number> {
  const { files, live, gone } = await listFiles(folder, options);
  const rank = ({ kind, key }: SavedFile): number => (kind === 'part' ? 2 : Number(live.has(key)));
  const oldestFirst = files.toSorted((one, other) => rank(one) - rank(other) || one.at - other.at);
  const expired = options.now - options.ageMs;
  const abandoned = options.now - ABANDONED_MS;
  let units = files.reduce((sum, file) => sum + file.units, 0);
  const most = Math.floor(options.bytes / UNIT_BYTES) - (options.needed ?? 0);
  const enough = units > most ? Math.floor(most * FILLED) : most;
  for (const { path, kind, key, at, units: freed } of oldestFirst) {
    const isAbandoned = !live.has(key) && (gone.has(key) || at < abandoned);
    const hasToGo = kind === 'part' ? isAbandoned : at < expired || units > enough;
    if (!hasToGo) continue;
    if (await isRemoved(path)) units -= freed;
  }
  return units;
}

interface ListedFile {
  readonly path: string;
  readonly kind: 'file' | 'part';
  readonly key: string;
}

interface SavedFile extends ListedFile {
  readonly units: number;
  readonly at: number;
}

interface Listing {
  readonly files: readonly SavedFile[];
  /** Keys of hosts that are open. */
  readonly live: ReadonlySet<string>;
  /** Keys of hosts that were killed, as far as nobody has noticed before. */
  readonly gone: ReadonlySet<string>;
}

async function listFiles(folder: string, options: TidyOptions): Promise<Listing> {
  const expired = options.now - options.ageMs;
  const live = new Set<string>();
  const gone = new Set<string>();
  const names = new Map<string, Pick<SavedFile, 'kind' | 'key'>>();
  // Twice: a file that gets its final name during the first round may be listed under neither name in that one.
  for (let round = 0; round < 2; round++) await listNames(folder, { live, gone, names, expired });
  const listed = Array.from(names, ([name, { kind, key }]) => ({ path: join(folder, name), kind, key }));
  const files: SavedFile[] = [];
  for (let from = 0; from < listed.length; from += TOGETHER) {
    const found = await Promise.all(listed.slice(from, from + TOGETHER).map((file) => look(file, options)));
    for (const file of found) if (file) files.push(file);
  }
  return { files, live, gone };
}

interface FoundNames {
  readonly live: Set<string>;
  readonly gone: Set<string>;
  readonly names: Map<string, Pick<SavedFile, 'kind' | 'key'>>;
  readonly expired: number;
}

/** Adds what the folder holds, by the names of finished files. */
async function listNames(folder: string, { live, gone, names, expired }: FoundNames): Promise<void> {
  const self = newOwner();
  for await (const { name } of await opendir(folder, { bufferSize: LISTED })) {
    const said = readName(name, self);
    if (said?.kind === 'file') names.set(name, said);
    else if (said?.kind === 'part') names.set(name.slice(0, -PART.length), said);
    else if (said && (await isOver(join(folder, name), said.owner, expired))) {
      if (said.owner === 'gone') gone.add(said.key);
      await isRemoved(join(folder, name));
    } else if (said) live.add(said.key);
  }
}

/** Whether a host is open no more; one of another machine or container counts as open as long as files are kept. */
async function isOver(path: string, owner: OwnerState, expired: number): Promise<boolean> {
  if (owner !== 'unknown') return owner === 'gone';
  const found = await lstat(path).catch(() => undefined);
  return found === undefined || found.mtimeMs < expired;
}

/** Undefined for what is no regular file, and for a file that has vanished. */
async function look(file: ListedFile, options: TidyOptions): Promise<SavedFile | undefined> {
  const { kind } = file;
  const path = kind === 'part' ? file.path + PART : file.path;
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined && kind === 'part') return look({ ...file, kind: 'file' }, options); // finished meanwhile
  if (found?.isFile() !== true) return undefined;
  const { now } = options;
  const isFuture = found.mtimeMs > now + SKEW_MS;
  // The clock has been set back: from now on the file ages like one that was written now.
  if (isFuture) await lutimes(path, now / 1_000, now / 1_000).catch(() => {});
  // An unfinished file has the size that was counted for it; before that it is of no account.
  const units = kind === 'part' && found.size === 0 ? 0 : unitsOf(found.size);
  return { ...file, path, units, at: isFuture ? now : found.mtimeMs };
}

/** Whether the file is gone, also where another process has deleted it. */
async function isRemoved(path: string): Promise<boolean> {
  return unlink(path).then(
    () => true,
    (error: unknown) => errorCodeOf(error) === 'ENOENT',
  );
}

const FILLED = 7 / 8; // of what is allowed: the next count is due when another eighth has been written
const ABANDONED_MS = 3_600_000; // after which an unfinished file of a process that is gone is of no use to anybody
const SKEW_MS = 60_000; // by which the clock of a network disk may be ahead
const TOGETHER = 32;
const LISTED = 256;
