import { chmodSync, lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HostError } from '../base/errors.js';
import { randomHex } from '../edge/random-hex.js';
import { spillFolder } from '../edge/files/spill-folder.js';
import { toWriteError } from '../edge/files/write-error.js';
import type { SpillPart } from '../model/spilled.js';
import { deleteOldResults } from './delete-old-results.js';

/** Files for the parts of results that a model is not shown directly. */
export interface ResultStore {
  readonly folder: string;
  /** Opens a new file, named by Plugboard; `extension` never comes from a server. Errors are reported by `end`. */
  open(extension: string): SpillPart;
  /** Resolves when old files of earlier runs have been deleted. Never rejects. */
  tidied(): Promise<void>;
}

/**
 * Files readable by this user alone, written completely or not at all. The first file of a run triggers the deletion of
 * old ones. `now`: wall-clock time in ms since 1970.
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

/** Refuses a link in place of the folder: another user could redirect results to any place. */
function refusalOf(folder: string): HostError | undefined {
  try {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (!found) return undefined; // created with the first file
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
    async discard() {}, // nothing was written
  };
}

/** ISO 8601 basic format in UTC: names sort by age. */
function timestamp(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/gu, '')}Z`;
}
