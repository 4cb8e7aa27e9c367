import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HostError } from '../base/errors.js';
import { makePrivateFolder } from './private-folder.js';

/** Where a process starts that is to find nothing of the working directory. */
export interface PrivatePlace {
  /** Its own: empty at first, and kept for what the process writes. Undefined: there is no state folder to have it in. */
  readonly folder: string | undefined;
  /** The host's environment without what leads into the working directory. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The folder, made where it is missing. Rejects with a HostError that says what to do. */
export async function openPrivatePlace({ folder }: PrivatePlace, what: string): Promise<string> {
  const hint = 'Run: plugboard trust, or use --trust-folder for this run';
  if (folder === undefined) {
    const message = `${what} cannot be started: this folder is not trusted, and there is no state folder for a private one`;
    throw new HostError('start-failed', message, { hint: `Set HOME or XDG_STATE_HOME. ${hint}` });
  }
  try {
    await makePrivateFolder(folder);
    await writeFile(join(dirname(folder), 'package.json'), '{}\n', { flag: 'wx', mode: 0o600 }).catch(isThere);
  } catch (cause) {
    throw new HostError('start-failed', `${what} cannot be started: its private folder ${folder} cannot be made`, {
      hint,
      cause,
    });
  }
  return folder;
}

/** npm looks for the nearest package.json above a folder and takes its settings from there: this is where it stops. */
function isThere(error: unknown): void {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error;
}
