import { basename, dirname, join } from 'node:path';
import { HostError } from '../../base/errors.js';
import { parseJson } from '../../base/json.js';
import { shellWord } from '../../base/shell-word.js';
import { realPathOf } from '../../edge/files/folders.js';
import { readBounded } from '../../edge/files/read-file.js';
import { updateFile } from '../../edge/files/write-file.js';
import { formatLock, isFault, type LockedServer, type LockFault, parseLock } from '../../model/pins/lock.js';
import type { Edit } from './edit-file.js';
import { LOCK_LIMIT, lockHint } from './lock-files.js';
import { toFieldPath } from '../problem.js';

export interface LockWrite {
  readonly file: string;
  /** The lock is in a repository: readable by everyone, and it must not be a symbolic link. */
  readonly isShared: boolean;
  /** Returns the new pins of the servers that it changes; the other servers keep theirs. */
  readonly change: (before: ReadonlyMap<string, LockedServer>) => ReadonlyMap<string, LockedServer>;
  readonly dryRun: boolean;
}

/** Changes `mcp.lock`: whole or not at all, under a file lock, so that two writers lose nothing. */
export async function writeLock({ file, isShared, change, dryRun }: LockWrite): Promise<Edit> {
  if (isShared) refuseLink(file);
  let edit: Edit = { file, before: undefined, after: '', changed: false };
  const apply = (before: string | undefined): string | undefined => {
    const servers = parseText(before, file);
    const after = toText(before, new Map([...servers, ...change(servers)]));
    edit = { file, before, after, changed: after !== before };
    return edit.changed ? after : undefined;
  };
  if (dryRun) {
    const read = readBounded(file, { limit: LOCK_LIMIT });
    if (read.kind === 'refused') throw read.error;
    apply(read.kind === 'text' ? read.text : undefined);
  } else await updateFile(file, apply, { mode: isShared ? 0o644 : 0o600, limit: LOCK_LIMIT });
  return edit;
}

/** Throws for a symbolic link, which in a repository may lead to any file of the user's. */
function refuseLink(file: string): void {
  const folder = realPathOf(dirname(file));
  const real = realPathOf(file) ?? (folder === undefined ? file : join(folder, basename(file)));
  if (real === file) return;
  throw new HostError(
    'write-failed',
    `${file} leads to ${real} through a symbolic link, so Plugboard does not write it`,
    {
      hint: `Put a regular file there: rm ${shellWord(file)}`,
    },
  );
}

/** Throws for a lock that it cannot parse instead of replacing it: it may be edited or have git's conflict marks. */
function parseText(text: string | undefined, file: string): ReadonlyMap<string, LockedServer> {
  const servers = new Map<string, LockedServer>();
  if (text === undefined) return servers;
  const value = parseJson(text);
  const lock = value === undefined ? { fault: 'is not plain JSON', path: [] } : parseLock(value);
  if (isFault(lock)) throw unusable(file, lock);
  for (const [name, server] of lock.servers) {
    if (isFault(server)) throw unusable(file, server);
    servers.set(name, server);
  }
  return servers;
}

/** Keeps the line ends of Windows if the file has them. */
function toText(before: string | undefined, servers: ReadonlyMap<string, LockedServer>): string {
  const after = formatLock(servers);
  return before?.includes('\r\n') === true ? after.replaceAll('\n', '\r\n') : after;
}

function unusable(file: string, { fault, path }: LockFault): HostError {
  const field = path.length === 0 ? '' : ` ${toFieldPath(path)}:`;
  return new HostError('config-invalid', `${file}:${field} ${fault}`, { hint: lockHint(file) });
}
