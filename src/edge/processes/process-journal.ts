import { closeSync, openSync, readFileSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { digest } from '../files/digest.js';
import { type LockOwner, parseOwner } from '../files/lock-owner.js';
import { makePrivateFolder } from '../files/private-folder.js';
import { errorCodeOf } from '../files/write-error.js';

/**
 * Word for a later host, should this one and its reaper be killed together: an empty file whose name tells which host
 * it was (pid, start time, boot, pid namespace) and by that the mark of all that it started. There is nothing in it that
 * could be read wrongly. Nothing here throws: a host runs as well where nothing can be written.
 */
export class ProcessJournal {
  readonly path: string;
  /** False: it cannot be. Never rejects. */
  readonly written: Promise<boolean>;

  constructor(folder: string, host: LockOwner) {
    this.path = join(folder, `${host.id}.${currentBoot()}`);
    this.written = writeNew(this.path);
  }

  /** Removes it. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!(await this.written)) return;
    try {
      unlinkSync(this.path);
    } catch {
      // a later host does it
    }
  }
}

/** At once where the folder is there: node's threads for files take longer to start than all of this. */
async function writeNew(path: string): Promise<boolean> {
  try {
    if (isMade(path)) return true;
    await makePrivateFolder(dirname(path));
    return isMade(path);
  } catch {
    return false; // a read-only or full disk: the reaper has to do
  }
}

/** False: its folder is missing. */
function isMade(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') throw error;
    return false;
  }
}

/** Undefined: it is no journal. */
export function parseJournalName(name: string): { readonly host: LockOwner; readonly boot: string } | undefined {
  const [, id, boot] = /^([0-9a-f-]{1,80})\.([0-9a-f]{12})$/.exec(name) ?? [];
  const host = id === undefined ? undefined : parseOwner(id);
  return host && boot !== undefined ? { host, boot } : undefined;
}

/** Apart from the host's place, which a container changes as well. Zeros where the system does not tell: no boot is another. */
export function currentBoot(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1');
    return digest(boot).slice(0, 12);
  } catch {
    return '0'.repeat(12);
  }
}
