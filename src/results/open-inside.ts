import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { HostError } from '../base/errors.js';
import { errorCodeOf } from '../edge/files/write-error.js';

export interface OpenedFile {
  readonly file: FileHandle;
  /** The path with all links resolved. */
  readonly path: string;
  readonly bytes: number;
}

export interface OpenInsideOptions {
  /** Folders to read from; one that does not exist yet counts as empty. */
  readonly roots: readonly string[];
  /** Why a path inside the folders may not be read; called with the resolved path, whether it exists or not. */
  readonly refuses?: ((real: string) => Promise<HostError | undefined>) | undefined;
}

/**
 * Opens a regular file for reading inside one of these folders, after resolving all links; a relative path is tried in
 * each folder. The open file is checked again, because a link may have been planted meanwhile. The error for a path
 * elsewhere, or one that is refused, does not tell whether it exists. Rejects with a HostError.
 */
export async function openInside(path: string, options: OpenInsideOptions): Promise<OpenedFile> {
  const { roots } = options;
  if (path.includes('\0')) throw refusal(path, roots);
  const folders = await realFolders(roots);
  const real = await findReal(path, { ...options, folders });
  // O_NONBLOCK: opening a named pipe does not wait for its other end.
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

/** The resolved folders; for one that does not exist yet, where it would be. */
export async function realFolders(roots: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(roots.map((root) => follow(root)));
  return found.flatMap(({ at }) => at ?? []);
}

interface Looking extends OpenInsideOptions {
  /** The roots, resolved. */
  readonly folders: readonly string[];
}

/** The resolved path, if it may be read. */
async function findReal(path: string, { roots, folders, refuses }: Looking): Promise<string> {
  // A refusal is reported before a missing file in another folder.
  let refused: HostError | undefined;
  let failure: unknown;
  for (const candidate of isAbsolute(path) ? [path] : roots.map((root) => join(root, path))) {
    const followed = await follow(candidate);
    const { at } = followed;
    const no = at === undefined || !isInside(at, folders) ? refusal(path, roots) : await refuses?.(at);
    if (no) refused ??= no;
    else if (followed.failure === undefined) return at!;
    // Prefers an error that says more than ENOENT.
    else if (failure === undefined || errorCodeOf(failure) === 'ENOENT') failure = followed.failure;
  }
  throw refused ?? (failure === undefined ? refusal(path, roots) : toReadError(path, failure));
}

interface Followed {
  /** The resolved path, also of a file that does not exist; undefined when it cannot be resolved. */
  readonly at: string | undefined;
  /** Why there is no such file. */
  readonly failure?: unknown;
}

/** Resolves all links, also dangling ones: what counts is where they lead. */
async function follow(path: string, hops = 0): Promise<Followed> {
  let failure: unknown;
  let rest = '';
  // A slash after a link's name would make `readlink` fail.
  for (let at = path.replace(/(?:\/+\.?)+$/u, '') || sep; ; at = dirname(at)) {
    try {
      const real = await realpath(at);
      return failure === undefined ? { at: real } : { at: join(real, rest), failure };
    } catch (error) {
      failure ??= error;
    }
    const target = await readlink(at).catch(() => undefined);
    if (target !== undefined) {
      const folder = await realpath(dirname(at)).catch(() => undefined);
      if (folder === undefined) return { at: undefined, failure };
      const next = resolve(folder, target);
      if (hops >= HOPS) return { at: join(next, rest), failure };
      const followed = await follow(next, hops + 1);
      return { at: followed.at === undefined ? undefined : join(followed.at, rest), failure };
    }
    if (dirname(at) === at) return { at: undefined, failure };
    rest = join(basename(at), rest);
  }
}

const HOPS = 40; // as many as the kernel follows

function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const way = relative(folder, path);
    return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  });
}

/** The path of the open file: from /proc on Linux; elsewhere the path must still lead to the same inode. */
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
  const code = errorCodeOf(cause) ?? 'unknown';
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
