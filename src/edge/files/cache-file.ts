import { closeSync, fstatSync, openSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { randomUUID } from '../random-hex.js';
import { READ_FLAGS, readAt } from '../logs/tail-file.js';
import { makePrivateFolder } from './private-folder.js';
import { errorCodeOf } from './write-error.js';

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
 * Replaces a file atomically, readable by this user alone: a reader sees the whole old file or the whole new one. Makes
 * its folder where there is none.
 * Writes piece by piece, off the event loop. Does not sync: a cache lost in a power cut can be rebuilt.
 */
export async function writeCacheFile(path: string, pieces: Iterable<string | Buffer>): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await openNew(temporary);
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

/** Looks for the folder only where it is missing: hundreds of files may be written to one that is there. */
async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') throw error;
    await makePrivateFolder(dirname(path));
    return open(path, 'wx', 0o600);
  }
}
