import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HostError } from '../../base/errors.js';
import { makePrivateFolder } from './private-folder.js';
import { errorCodeOf, explainWrite } from './write-error.js';

/** Where a process starts that is to find nothing of the working directory. */
export interface PrivatePlace {
  /** Its own: empty at first, and kept for what the process writes. Undefined: there is no state folder to have it in. */
  readonly folder: string | undefined;
  /** The host's environment without what leads into the working directory. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The folder, made where it is missing. Rejects with a HostError that says what to do. */
export async function openPrivatePlace({ folder }: PrivatePlace, what: string): Promise<string> {
  if (folder === undefined) {
    const message = `${what} cannot be started: this folder is not trusted, and there is no state folder for a private one`;
    throw new HostError('start-failed', message, {
      hint: 'Set HOME or XDG_STATE_HOME, or trust this folder for one run: --trust-folder',
    });
  }
  try {
    await makePrivateFolder(folder);
    await stopNpm(join(dirname(folder), 'package.json'));
  } catch (cause) {
    const { reason, hint } = explainWrite(folder, cause);
    const message = `${what} cannot be started: its private folder ${folder} cannot be made: ${reason}`;
    throw new HostError('start-failed', message, { hint, cause });
  }
  return folder;
}

/** npm takes its settings from the nearest folder above with a package.json: this is where it stops looking. */
async function stopNpm(file: string): Promise<void> {
  try {
    await writeFile(file, '{}\n', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return;
    // Half of one would keep npm from running at all.
    await rm(file, { force: true });
    throw error;
  }
}
