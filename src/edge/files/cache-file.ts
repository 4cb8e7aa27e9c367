import { closeSync, fstatSync, openSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { randomUUID } from '../random-hex.js';
import { READ_FLAGS, readAt } from '../logs/tail-file.js';

/** An open cache file of Plugboard. */
export interface CacheFile {
  readonly size: number;
  /** When it was written last, in milliseconds since 1970. */
  readonly changedAt: number;
  /** Reads up to `length` bytes from `position`, fewer at the end of the file; into `buffer` if they fit. */
  read(position: number, length: number, buffer?: Buffer): Buffer;
}

/**
 * Opens a file for `look`, and closes it. Returns undefined on any error, and for a file that is not regular or belongs
 * to another user: an unreadable cache counts as empty.
 */
export function readCacheFile<T>(path: string, look: (file: CacheFile) => T | undefined): T | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, READ_FLAGS);
    const stats = fstatSync(descriptor);
    const self = process.getuid?.();
    if (!stats.isFile() || (self !== undefined && stats.uid !== self)) return undefined;
    const opened = descriptor;
    const { size, mtimeMs: changedAt } = stats;
    return look({ size, changedAt, read: (position, length, buffer) => readAt(opened, position, length, buffer) });
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Replaces a file atomically, readable by this user alone: a reader sees the whole old file or the whole new one.
 * Writes piece by piece, off the event loop. Does not sync: a cache lost in a power cut can be rebuilt.
 */
export async function writeCacheFile(path: string, pieces: Iterable<string | Buffer>): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      for (const piece of pieces) await file.writeFile(piece);
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}
