import { lstat, opendir, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Deletes old results, and the oldest if there are too many. Only files named by Plugboard. Never rejects. */
export async function deleteOldResults(folder: string, now: number): Promise<void> {
  try {
    const files: { readonly path: string; readonly bytes: number; readonly age: number }[] = [];
    for await (const { name } of await opendir(folder)) {
      if (files.length >= FILE_LIMIT) break;
      if (!OURS.test(name)) continue;
      const path = join(folder, name);
      const found = await lstat(path).catch(() => undefined);
      if (found?.isFile() === true) files.push({ path, bytes: found.size, age: now - found.mtimeMs });
    }
    let kept = 0;
    for (const { path, bytes, age } of files.toSorted((a, b) => a.age - b.age)) {
      kept += bytes;
      const isOld = age > LONGEST_MS || (kept > BYTE_LIMIT && age > SHORTEST_MS);
      if (isOld) await unlink(path).catch(() => {}); // another process may have deleted it
    }
  } catch {
    // The folder is missing or unreadable: nothing to delete.
  }
}

/** Names that `ResultStore` and `spillFolder` create, finished or not. */
const OURS = /^(?:\d{8}T\d{6}Z-[0-9a-f]{12}\.[a-z0-9]{1,8}|result-[0-9a-f]{16})(?:\.part)?$/u;
const LONGEST_MS = 7 * 24 * 3_600_000; // a week; older files are not needed when a conversation is resumed
const SHORTEST_MS = 3_600_000; // newer files may be in use, whatever the total size
const BYTE_LIMIT = 1_073_741_824;
const FILE_LIMIT = 10_000; // the next run deletes the rest
