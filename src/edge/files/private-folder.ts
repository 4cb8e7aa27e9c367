import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCodeOf } from './write-error.js';

/** Creates a folder and its missing ancestors with mode 0700. A folder that exists keeps its mode. */
export async function makePrivateFolder(folder: string): Promise<void> {
  try {
    // Not with `recursive`: Node then reports a full or read-only disk as a folder that does not exist.
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (await isFolder(folder)) return;
    if (errorCodeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makePrivateFolder(dirname(folder));
    // Retried once only: some file systems report an existing folder as missing for ever.
    await mkdir(folder, { mode: 0o700 }).catch(async (again: unknown) => {
      if (!(await isFolder(folder))) throw again;
    });
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false; // the caller reports the error of its own `mkdir`
  }
}
