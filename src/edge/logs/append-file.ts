import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HostError } from '../../base/errors.js';
import { makePrivateFolder } from '../files/private-folder.js';

/** Follows no link, which another user could have put there, and never blocks on a FIFO. */
export const APPEND_FLAGS =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_APPEND |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** Opens a file to append to it, with mode 0600; creates the file and its folder if missing. */
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
