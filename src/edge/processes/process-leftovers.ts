import { readdirSync } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ownerState, type LockOwner } from '../files/lock-owner.js';
import { currentBoot, parseJournalName } from './process-journal.js';
import type { ProcessSweeper } from './process-sweep.js';

export interface LeftoverOptions {
  readonly self: LockOwner;
  readonly sweeper: ProcessSweeper;
}

/**
 * Kills what dead hosts left running, by their journals, and removes these. A forged journal harms nothing: only
 * processes that carry the mark in its name are killed, and the host in that mark must be gone. Does nothing in doubt
 * (another container, a system without start times). Never rejects.
 */
export async function clearLeftovers(folder: string, options: LeftoverOptions): Promise<void> {
  try {
    // Synchronous, because mostly only our own journal is there and Node's file threads take longer to start.
    const names = readdirSync(folder)
      .filter((name) => !name.startsWith(options.self.id))
      .slice(0, MOST_JOURNALS);
    if (names.length === 0) return;
    const boot = currentBoot();
    await Promise.all(names.map((name) => clear(join(folder, name), { ...options, name, boot })));
  } catch {
    // the folder is missing or not readable
  }
}

const MOST_JOURNALS = 1000; // the rest follows at the next start
const OUT_OF_REACH_MS = 7 * 24 * 3600 * 1000;

interface ClearOptions extends LeftoverOptions {
  readonly name: string;
  /** The current boot. */
  readonly boot: string;
}

async function clear(path: string, { name, boot, self, sweeper }: ClearOptions): Promise<void> {
  const journal = parseJournalName(name);
  if (!journal) return;
  try {
    switch (journal.boot === boot ? ownerState(journal.host, self) : 'before') {
      case 'running':
        return;
      case 'before':
        break; // no process survives a restart of the machine
      case 'unknown':
        // After a week the container is most likely gone, with all its processes.
        if (Date.now() - (await lstat(path)).mtimeMs < OUT_OF_REACH_MS) return;
        break;
      case 'gone':
        if (!(await sweeper.sweep(journal.host.id))) return; // the next start tries again
        break;
    }
    await rm(path, { force: true });
  } catch {
    // another host was faster, or has more permissions
  }
}
