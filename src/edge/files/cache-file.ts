import { closeSync, fstatSync, openSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { randomUUID } from '../random-hex.js';
import { READ_FLAGS, readAt } from '../logs/tail-file.js';

/** An open file of ours that holds what can be found out again. */
export interface CacheFile {
  readonly size: number;
  /** So many bytes from there on, fewer where the file ends; into `buffer` if they fit. */
  read(position: number, length: number, buffer?: Buffer): Buffer;
}

/**
 * Lets somebody look into a file, and closes it. Undefined when there is none, when it is none of this user's, when it is no
 * regular file, or whatever goes wrong: a cache that cannot be read is as good as none.
 */
export function readCacheFile<T>(path: string, look: (file: CacheFile) => T | undefined): T | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, READ_FLAGS);
    const stats = fstatSync(descriptor);
    const self = process.getuid?.();
    if (!stats.isFile() || (self !== undefined && stats.uid !== self)) return undefined;
    const opened = descriptor;
    return look({ size: stats.size, read: (position, length, buffer) => readAt(opened, position, length, buffer) });
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Puts a file in place of the old one, for this user alone: whoever reads sees all of one of them. Piece by piece and off the
 * event loop. Nothing is synced: what a power cut takes can be found out again.
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
