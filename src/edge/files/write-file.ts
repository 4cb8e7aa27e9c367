import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { succeeds } from '../../base/attempt.js';
import { HostError } from '../../base/errors.js';
import { isFolder } from './folders.js';
import { type LockOptions, withLock } from './lock.js';
import { newOwner } from './lock-owner.js';
import { FILE_BYTES_LIMIT, readBounded } from './read-file.js';
import { errorCodeOf, toWriteError } from './write-error.js';

export interface WriteOptions {
  /** Mode of a new file, less the umask; 0o600 by default. An existing file keeps its mode. */
  readonly mode?: number;
  /** Mode of parent folders that have to be created; 0o700 by default. */
  readonly directoryMode?: number;
  /** Internal: fault tests kill the process between two steps. */
  readonly onStep?: ((step: string) => void) | undefined;
}

/**
 * Replaces a file atomically: at any moment, even after a kill, it has all of the old text or all of the new one. A
 * symbolic link stays and its target is replaced. Concurrent writers need `updateFile`, or one change is lost.
 */
export async function replaceFile(path: string, text: string, options: WriteOptions = {}): Promise<void> {
  await replaceTarget(prepareTarget(path, options), text, options);
}

export interface UpdateOptions extends WriteOptions, LockOptions {
  readonly limit?: number;
}

export interface Update {
  readonly kind: 'written' | 'unchanged';
  /** The real path of the file, links followed. */
  readonly path: string;
}

/**
 * Reads, changes and writes one file under its lock. `change` gets undefined for a missing file, and returns undefined
 * to leave the file as it is. A file that cannot be read is not replaced.
 */
export async function updateFile(
  path: string,
  change: (text: string | undefined) => string | undefined,
  options: UpdateOptions = {},
): Promise<Update> {
  // Locks the real file, so that two links to it share the lock.
  const target = prepareTarget(path, options);
  return withLock(target, () => changeTarget(target, change, options), options);
}

async function changeTarget(
  target: string,
  change: (text: string | undefined) => string | undefined,
  options: UpdateOptions,
): Promise<Update> {
  const { limit = FILE_BYTES_LIMIT } = options;
  const found = readBounded(target, { limit });
  if (found.kind === 'refused') throw found.error;
  const before = found.kind === 'text' ? found.text : undefined;
  const after = change(before);
  if (after === undefined || after === before) return { kind: 'unchanged', path: target };
  const size = Buffer.byteLength(after);
  if (size > limit) {
    // A larger file could never be read again.
    throw new HostError('config-too-large', `${target} would have ${size} bytes; the limit is ${limit}`, {
      hint: 'Remove entries that are no longer used',
    });
  }
  await replaceTarget(target, after, options);
  return { kind: 'written', path: target };
}

async function replaceTarget(target: string, text: string, { mode = 0o600, onStep }: WriteOptions): Promise<void> {
  const step = onStep ?? (() => {});
  // With the owner's name in it, the next writer recognizes the leftover of a killed one.
  const temporary = `${target}.${newOwner().id}.tmp`;
  let descriptor: number | undefined;
  let made = false;
  try {
    const existing = inspectTarget(target);
    // Mode 0600 until the owner is set, so that no other user can open it meanwhile.
    descriptor = openSync(temporary, CREATE_FLAGS, existing ? 0o600 : mode);
    made = true;
    step('created');
    if (existing) keepOwnerAndMode(descriptor, existing);
    writeAll(descriptor, { bytes: Buffer.from(text), step });
    await flush(descriptor);
    step('flushed');
    const finished = descriptor;
    descriptor = undefined; // closed even when `closeSync` throws
    closeSync(finished);
    renameSync(temporary, target);
    step('renamed');
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    if (made) removeTemporary(temporary);
    throw toWriteError(target, error);
  }
  await flushFolder(dirname(target));
  step('durable');
}

const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const CHUNK_BYTES = 65_536; // one write for a small file, no long blocking call for a large one

/** Returns the file to replace, and creates its parents. Follows links, also one whose target does not exist yet. */
function prepareTarget(path: string, { directoryMode = 0o700 }: WriteOptions): string {
  try {
    let current = resolve(path);
    for (let links = 0; links < LINK_LIMIT; links++) {
      const folder = dirname(current);
      makeFolders(folder, directoryMode);
      current = join(realpathSync.native(folder), basename(current));
      const next = readLink(current);
      if (next === undefined) return current;
      current = resolve(dirname(current), next);
    }
  } catch (error) {
    throw toWriteError(path, error);
  }
  throw toWriteError(path, Object.assign(new Error('too many symbolic links'), { code: 'ELOOP' }));
}

const LINK_LIMIT = 40; // the limit of Linux

/** Not with `recursive`: Node then reports a full or read-only disk as a folder that does not exist. */
function makeFolders(folder: string, mode: number): void {
  const missing: string[] = [];
  let current = folder;
  while (!isFolder(current) && dirname(current) !== current) {
    missing.unshift(current);
    current = dirname(current);
  }
  for (const each of missing) {
    try {
      mkdirSync(each, { mode });
    } catch (error) {
      if (!isFolder(each)) throw error; // another process may have created the folder meanwhile
    }
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === 'EINVAL' || code === 'ENOENT' || code === 'UNKNOWN') return undefined; // not a link; Windows: UNKNOWN
    throw error;
  }
}

function inspectTarget(target: string): Stats | undefined {
  const existing = statSync(target, { throwIfNoEntry: false });
  if (existing === undefined) return undefined;
  if (existing.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
  // Root could otherwise replace /dev/null by a file, which has happened.
  if (!existing.isFile()) {
    throw new HostError('write-failed', `Cannot write ${target}: it is not a regular file`, {
      hint: 'Remove it, or name another file',
    });
  }
  // A rename would succeed, but a read-only file is meant to stay as it is.
  accessSync(target, constants.W_OK);
  return existing;
}

function keepOwnerAndMode(descriptor: number, existing: Stats): void {
  const { uid, gid } = fstatSync(descriptor);
  let mode = existing.mode & 0o7777;
  const owners: readonly (readonly [number, number])[] = [
    [existing.uid, existing.gid],
    [-1, existing.gid],
  ];
  const same = uid === existing.uid && gid === existing.gid;
  const kept = same || owners.some(([user, group]) => tryChangeOwner(descriptor, { user, group }));
  // The file gets our group, which must not inherit the permissions of the old group.
  if (!kept && gid !== existing.gid) mode &= ~0o070;
  fchmodSync(descriptor, mode);
}

function tryChangeOwner(descriptor: number, { user, group }: { user: number; group: number }): boolean {
  return succeeds(() => fchownSync(descriptor, user, group)); // only root may; the caller then tries the group alone
}

function writeAll(descriptor: number, { bytes, step }: { bytes: Buffer; step: (step: string) => void }): void {
  for (let offset = 0; offset < bytes.length;) {
    offset += writeSync(descriptor, bytes, offset, Math.min(CHUNK_BYTES, bytes.length - offset));
    step('chunk-written');
  }
}

/** Off the event loop, because fsync on a slow disk takes long. */
function flush(descriptor: number): Promise<void> {
  return new Promise((done, fail) => {
    fsync(descriptor, (error) => (error ? fail(error) : done()));
  });
}

/** Makes the rename itself survive a power cut. The new file is in place already, so a failure changes nothing. */
async function flushFolder(folder: string): Promise<void> {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(folder, constants.O_RDONLY);
    await flush(descriptor);
  } catch {
    // Windows and some network file systems cannot do this for a folder; the file itself is flushed.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function removeTemporary(temporary: string): void {
  try {
    unlinkSync(temporary);
  } catch {
    // Already renamed, or the disk went away: the next writer removes it by its owner's name.
  }
}
