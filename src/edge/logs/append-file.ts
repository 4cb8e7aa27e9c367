import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HostError } from '../../base/errors.js';
import { makePrivateFolder } from '../files/private-folder.js';

/** No link that somebody else put there, and no waiting for the other end of a named pipe. */
export const APPEND_FLAGS =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_APPEND |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** Opens a file to write at its end, for this user alone; it is made if it is not there. */
export async function openToAppend(path: string): Promise<FileHandle> {
  await makePrivateFolder(dirname(path));
  const file = await open(path, APPEND_FLAGS, 0o600);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) {
      throw new HostError('write-failed', `Cannot write ${path}: it is not a regular file`, {
        hint: 'Remove it, or name another file',
      });
    }
    if ((stats.mode & 0o077) !== 0) await file.chmod(0o600);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
