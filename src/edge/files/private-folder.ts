import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCodeOf } from './write-error.js';

/** Makes a folder, and those above it, for this user alone. One that is there stays as it is. */
export async function makePrivateFolder(folder: string): Promise<void> {
  try {
    // Not by `recursive`, which in Node reports a full or read-only disk as a folder that does not exist.
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (await isFolder(folder)) return;
    if (errorCodeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makePrivateFolder(dirname(folder));
    // Once: some file systems say for ever that a folder is missing which is there.
    await mkdir(folder, { mode: 0o700 }).catch(async (again: unknown) => {
      if (!(await isFolder(folder))) throw again;
    });
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false; // whoever wanted to make it knows why
  }
}
