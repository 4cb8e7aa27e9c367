import { readdir, rmdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { tryLock } from '../../edge/files/lock.js';
import { sessionFiles } from './list-sessions.js';

export interface PruneOptions {
  /** Days for which a session is kept after its last message. */
  readonly days: number;
  /** How large all sessions may be together. */
  readonly mb: number;
  readonly now: number;
}

/**
 * Deletes sessions that are too old, then the oldest until the rest is not too large. A session that a process writes
 * stays. Returns how many were deleted; never rejects.
 */
export async function pruneSessions(root: string, { days, mb, now }: PruneOptions): Promise<number> {
  try {
    const folders = (await readdir(root)).filter((name) => FOLDER_NAME.test(name)).map((name) => join(root, name));
    const files = (await Promise.all(folders.map(filesIn))).flat().toSorted((one, other) => other.at - one.at);
    let room = mb * MEGABYTE;
    let deleted = 0;
    for (const { path, at, bytes } of files) {
      room -= bytes;
      if (room >= 0 && at >= now - days * DAY_MS) continue;
      if (await remove(path)) deleted++;
    }
    if (deleted > 0) for (const folder of folders) await rmdir(folder).catch(() => {}); // stays unless it is empty
    return deleted;
  } catch {
    return 0; // nothing was kept yet, or the folder cannot be read: the next session tries again
  }
}

async function filesIn(folder: string): Promise<readonly { path: string; at: number; bytes: number }[]> {
  const paths = sessionFiles(folder).map((name) => join(folder, name));
  const found = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ mtimeMs, size }) => [{ path, at: mtimeMs, bytes: size }],
        () => [], // deleted meanwhile
      ),
    ),
  );
  return found.flat();
}

/** False for a session that is being written, or that cannot be deleted. */
async function remove(path: string): Promise<boolean> {
  try {
    const lock = tryLock(path);
    if (lock.kind === 'held') return false;
    using _ = lock;
    await unlink(path);
    return true;
  } catch {
    return false;
  }
}

export const FOLDER_NAME = /^[0-9a-f]{32}$/u;
const MEGABYTE = 1_048_576;
const DAY_MS = 86_400_000;
