import { chmodSync, lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HostError } from '../base/errors.js';
import { randomHex } from '../edge/random-hex.js';
import { spillFolder } from '../edge/files/spill-folder.js';
import { toWriteError } from '../edge/files/write-error.js';
import type { SpillPart } from '../model/spilled.js';
import { deleteOldResults } from './delete-old-results.js';

/** Where the parts of results go that no model reads as they are. */
export interface ResultStore {
  readonly folder: string;
  /** A new file of a name that is ours; `extension` is one that we know, never a server's word. What goes wrong is told by `end`. */
  open(extension: string): SpillPart;
  /** Ends when what was left by earlier runs has been looked through. Never rejects. */
  tidied(): Promise<void>;
}

/**
 * Files of this user alone, whole or not at all. The first one of a run has those of earlier runs tidied up. `now`: milliseconds
 * since 1970.
 */
export function resultStore(directory: string, { now = Date.now }: { readonly now?: () => number } = {}): ResultStore {
  const folder = resolve(directory);
  const spill = spillFolder(folder);
  let tidying: Promise<void> | undefined;
  const tidied = (): Promise<void> => (tidying ??= deleteOldResults(folder, now()));
  return {
    folder,
    tidied,
    open(extension) {
      const refusal = refusalOf(folder);
      if (refusal) return refusedFile(refusal);
      void tidied();
      return spill.open(`${timestamp(now())}-${randomHex(6)}.${extension}`);
    },
  };
}

/** Whoever may put a link in its place could have results written where they like. */
function refusalOf(folder: string): HostError | undefined {
  try {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (!found) return undefined; // made by the first file
    if (!found.isDirectory()) {
      return new HostError('write-failed', `Results are not saved: ${folder} is no folder, or a link to one`, {
        hint: 'Remove it, and it is made anew',
      });
    }
    const self = process.getuid?.();
    if (self !== undefined && found.uid !== self) {
      return new HostError('write-failed', `Results are not saved: ${folder} belongs to another user (${found.uid})`, {
        hint: 'Set XDG_STATE_HOME to a folder of your own',
      });
    }
    if (self !== undefined && (found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
    return undefined;
  } catch (cause) {
    return toWriteError(join(folder, 'result'), cause);
  }
}

function refusedFile(error: HostError): SpillPart {
  return {
    write: () => undefined,
    async end() {
      throw error;
    },
    async discard() {}, // there is nothing
  };
}

/** As ISO 8601 has it for names, in UTC: they sort by age. */
function timestamp(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/gu, '')}Z`;
}
