import { closeSync, openSync, readFileSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { digest } from '../files/digest.js';
import { type LockOwner, parseOwner } from '../files/lock-owner.js';
import { makePrivateFolder } from '../files/private-folder.js';
import { errorCodeOf } from '../files/write-error.js';

/**
 * Lets a later host clean up if this host and its reaper are killed together: an empty file whose name holds the host's
 * pid, start time, boot and pid namespace, and thereby the mark of all that it started. The file has no content that
 * could be misread. Never throws: a host runs as well where nothing can be written.
 */
export class ProcessJournal {
  readonly path: string;
  /** False when the journal cannot be written. Never rejects. */
  readonly written: Promise<boolean>;

  constructor(folder: string, host: LockOwner) {
    this.path = join(folder, `${host.id}.${currentBoot()}`);
    this.written = writeNew(this.path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!(await this.written)) return;
    try {
      unlinkSync(this.path);
    } catch {
      // a later host removes it
    }
  }
}

/** Synchronous if the folder exists: Node's file threads take longer to start than this write. */
async function writeNew(path: string): Promise<boolean> {
  try {
    if (isMade(path)) return true;
    await makePrivateFolder(dirname(path));
    return isMade(path);
  } catch {
    return false; // a read-only or full disk: only the reaper remains
  }
}

/** Returns false when the folder is missing. */
function isMade(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') throw error;
    return false;
  }
}

/** Returns undefined for a name that is no journal's. */
export function parseJournalName(name: string): { readonly host: LockOwner; readonly boot: string } | undefined {
  const [, id, boot] = /^([0-9a-f-]{1,80})\.([0-9a-f]{12})$/.exec(name) ?? [];
  const host = id === undefined ? undefined : parseOwner(id);
  return host && boot !== undefined ? { host, boot } : undefined;
}

/** Separate from `place`, which a container changes, too. Zeros where unknown: then all boots count as one. */
export function currentBoot(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1');
    return digest(boot).slice(0, 12);
  } catch {
    return '0'.repeat(12);
  }
}
