import { readdirSync } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fateOf, type LockOwner } from '../files/lock-owner.js';
import { currentBoot, parseJournalName } from './process-journal.js';
import type { ProcessSweeper } from './process-sweep.js';

export interface LeftoverOptions {
  readonly self: LockOwner;
  readonly sweeper: ProcessSweeper;
}

/**
 * Ends what dead hosts left running, by their journals, and removes those. Whoever could write a journal of any name could
 * not harm anybody by it: killed is what carries the very mark in the name, and that says which host gave it, which has
 * to be gone. In doubt (another container, a system that does not tell start times) nothing is done. Never rejects.
 */
export async function clearLeftovers(folder: string, options: LeftoverOptions): Promise<void> {
  try {
    // Mostly there is nothing but our own, and node's threads for files take longer to start than to look at once.
    const names = readdirSync(folder)
      .filter((name) => !name.startsWith(options.self.id))
      .slice(0, MOST_JOURNALS);
    if (names.length === 0) return;
    const boot = currentBoot();
    await Promise.all(names.map((name) => clear(join(folder, name), { ...options, name, boot })));
  } catch {
    // there is no folder, or none that can be read: then there is nothing to know
  }
}

const MOST_JOURNALS = 1000; // the rest at the next start
const OUT_OF_REACH_MS = 7 * 24 * 3600 * 1000;

interface ClearOptions extends LeftoverOptions {
  readonly name: string;
  /** The present one. */
  readonly boot: string;
}

async function clear(path: string, { name, boot, self, sweeper }: ClearOptions): Promise<void> {
  const journal = parseJournalName(name);
  if (!journal) return;
  try {
    switch (journal.boot === boot ? fateOf(journal.host, self) : 'before') {
      case 'running':
        return;
      case 'before':
        break; // nothing outlives a restart of the machine
      case 'unknown':
        // After that time the container is gone, most likely, and everything in it.
        if (Date.now() - (await lstat(path)).mtimeMs < OUT_OF_REACH_MS) return;
        break;
      case 'gone':
        if (!(await sweeper.sweep(journal.host.id))) return; // the next start tries again
        break;
    }
    await rm(path, { force: true });
  } catch {
    // somebody else was faster, or may do what we may not
  }
}
