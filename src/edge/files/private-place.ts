import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HostError } from '../../base/errors.js';
import { makePrivateFolder } from './private-folder.js';
import { errorCodeOf, explainWrite } from './write-error.js';

/** Where a process starts that must not find any file of the working directory. */
export interface PrivatePlace {
  /** Empty at first, then kept with what the process writes. Undefined: there is no state folder to create it in. */
  readonly folder: string | undefined;
  /** The host's environment without the variables and search path entries that lead into the working directory. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Creates the folder where it is missing, and returns it. Rejects with a `HostError` that has a hint. */
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
    const message = `${what} cannot be started: its private folder ${folder} cannot be created: ${reason}`;
    throw new HostError('start-failed', message, { hint, cause });
  }
  return folder;
}

/** Writes an empty package.json: npm stops its search for settings at the nearest ancestor that has one. */
async function stopNpm(file: string): Promise<void> {
  try {
    await writeFile(file, '{}\n', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return;
    // A truncated package.json would keep npm from running at all.
    await rm(file, { force: true });
    throw error;
  }
}
