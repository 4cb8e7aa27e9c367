import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { HostError } from '../base/errors.js';
import { codeOf } from '../edge/write-error.js';

export interface OpenedFile {
  readonly file: FileHandle;
  /** Where it really is. */
  readonly path: string;
  readonly bytes: number;
}

/**
 * Opens a regular file for reading that lies inside one of these folders, wherever its links lead; a relative path is looked for
 * in each. What is open is looked at once more, because a link may have been put there meanwhile. Rejects with a HostError.
 */
export async function openInside(path: string, roots: readonly string[]): Promise<OpenedFile> {
  if (path.includes('\0')) throw refusal(path, roots);
  const folders = await realFolders(roots);
  const real = await findReal(path, roots);
  if (!isInside(real, folders)) throw refusal(path, roots);
  // Never waits for the other end of a pipe.
  const file = await open(real, OPEN_FLAGS).catch((error: unknown) => {
    throw toReadError(path, error);
  });
  try {
    const found = await file.stat();
    if (!found.isFile()) {
      throw new HostError('bad-input', `${path} is not a regular file`, { hint: 'Read takes files only' });
    }
    if (!isInside(await openedPath(file, real), folders)) throw refusal(path, roots);
    return { file, path: real, bytes: found.size };
  } catch (error) {
    await file.close();
    throw error instanceof HostError ? error : toReadError(path, error);
  }
}

const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

async function realFolders(roots: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined))); // one may not exist yet
  return found.filter((folder) => folder !== undefined);
}

async function findReal(path: string, roots: readonly string[]): Promise<string> {
  let failure: unknown;
  for (const candidate of isAbsolute(path) ? [path] : roots.map((root) => join(root, path))) {
    try {
      return await realpath(candidate);
    } catch (error) {
      // The one that says more than that there is nothing.
      if (failure === undefined || codeOf(failure) === 'ENOENT') failure = error;
    }
  }
  throw toReadError(path, failure);
}

function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const way = relative(folder, path);
    return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  });
}

/** What the descriptor leads to: Linux says so itself; elsewhere the path has to lead to the same file still. */
async function openedPath(file: FileHandle, real: string): Promise<string> {
  const told = await readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined);
  if (told !== undefined) return told;
  const [mine, now, path] = await Promise.all([file.stat(), stat(real), realpath(real)]);
  return mine.ino === now.ino && mine.dev === now.dev ? path : '';
}

function refusal(path: string, roots: readonly string[]): HostError {
  return new HostError('denied', `${path} is not inside a folder that Read may look into`, {
    hint: `Only files inside ${roots.join(' and ')} can be read`,
  });
}

function toReadError(path: string, cause: unknown): HostError {
  const code = codeOf(cause) ?? 'unknown';
  const reason = REASONS[code] ?? `the system refused (${code})`;
  return new HostError('bad-input', `Cannot read ${path}: ${reason}`, {
    hint: 'Give the path as a result told it, or one inside the project',
    cause,
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
  ENXIO: 'it is not a regular file',
};
