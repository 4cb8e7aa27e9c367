import { closeSync, fchmodSync, fstatSync, openSync, renameSync, rmSync, type Stats } from 'node:fs';
import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HostError } from '../../base/errors.js';
import { shellWord } from '../../base/shell-word.js';
import { makePrivateFolder } from '../../edge/files/private-folder.js';
import { READ_FLAGS, readAt } from '../../edge/logs/tail-file.js';
import { errorCodeOf, toWriteError } from '../../edge/files/write-error.js';
import { replaceFile, updateFile } from '../../edge/files/write-file.js';

export interface CredentialFilesOptions {
  readonly folder: string;
  /** Reports what the user should know although the work goes on; of one topic only the first report is shown. */
  readonly onProblem: (text: string, topic?: string) => void;
  /** Internal: fault tests kill the process between two steps. */
  readonly onStep?: ((step: string) => void) | undefined;
}

/** Bytes of the largest file with tokens; the longest known tokens are a tenth of it. */
export const CREDENTIAL_LIMIT = 262_144;

/** Small files with secrets, in a folder that only this user may read. */
export class CredentialFiles {
  readonly #options: CredentialFilesOptions;

  constructor(options: CredentialFilesOptions) {
    this.#options = options;
  }

  pathOf(name: string): string {
    return join(this.#options.folder, name);
  }

  /** Creates the folder. Rejects with a HostError when it cannot be created, or belongs to another user. */
  async prepare(): Promise<void> {
    const { folder } = this.#options;
    try {
      await makePrivateFolder(folder);
      const { uid, mode } = await stat(folder);
      if (isForeign(uid)) throw foreign(folder, uid);
      if (!isOpenToOthers(mode)) return;
      await chmod(folder, 0o700);
    } catch (error) {
      throw toWriteError(join(folder, 'credentials'), error);
    }
    this.#options.onProblem(`Other users could read ${folder}, where sign-ins are stored; now only you can`);
  }

  /** Undefined when the file does not exist. Throws a HostError for anything but a small regular file of this user. */
  read(name: string): string | undefined {
    const path = this.pathOf(name);
    let descriptor: number | undefined;
    try {
      descriptor = openSync(path, READ_FLAGS);
      const stats = fstatSync(descriptor);
      if (!stats.isFile()) throw refused(path, `it is ${kindOf(stats)}, not a regular file`);
      if (isForeign(stats.uid)) throw foreign(path, stats.uid);
      if (stats.size > CREDENTIAL_LIMIT) {
        throw refused(path, `it has ${stats.size} bytes; the limit is ${CREDENTIAL_LIMIT}`);
      }
      if (isOpenToOthers(stats.mode)) this.#tighten(path, descriptor);
      return readAt(descriptor, 0, stats.size).toString('utf8');
    } catch (error) {
      if (error instanceof HostError) throw error;
      return this.#whyNot(path, error);
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  /** Needs the file's lock. Replaces it whole; rejects with `write-failed`, and then the old one is intact. */
  async write(name: string, text: string): Promise<void> {
    await replaceFile(this.pathOf(name), text, { mode: 0o600, directoryMode: 0o700, onStep: this.#options.onStep });
  }

  /** Writes a file whose lock the caller does not hold, and removes what killed writers left of it. */
  async writeAlone(name: string, text: string): Promise<void> {
    await updateFile(this.pathOf(name), () => text, {
      mode: 0o600,
      directoryMode: 0o700,
      onStep: this.#options.onStep,
    });
  }

  /** Throws `write-failed`. */
  remove(name: string): void {
    try {
      rmSync(this.pathOf(name), { force: true });
    } catch (error) {
      throw toWriteError(this.pathOf(name), error);
    }
  }

  /** Renames a broken file, so that it can be examined later. Only while holding its lock. */
  setAside(name: string, reason: string): void {
    const path = this.pathOf(name);
    const free = ASIDE.find((ending) => !this.#isThere(`${path}${ending}`)) ?? ASIDE.at(-1)!;
    try {
      renameSync(path, `${path}${free}`);
    } catch {
      // Where nothing can be written the file stays, and counts as absent.
      return this.#options.onProblem(`A sign-in in ${path} cannot be read: ${reason}. Sign in again`);
    }
    this.#options.onProblem(
      `A sign-in in ${path} cannot be read: ${reason}. It is kept as ${name}${free}; sign in again`,
    );
  }

  #isThere(path: string): boolean {
    try {
      closeSync(openSync(path, READ_FLAGS));
      return true;
    } catch (error) {
      return errorCodeOf(error) !== 'ENOENT';
    }
  }

  #tighten(path: string, descriptor: number): void {
    try {
      fchmodSync(descriptor, 0o600);
      this.#options.onProblem(
        `Other users could read the sign-in in ${path}; now only you can. Sign in again if they may have seen it`,
      );
    } catch (error) {
      this.#options.onProblem(
        `Other users can read the sign-in in ${path}; this cannot be changed (${errorCodeOf(error) ?? 'unknown'})`,
      );
    }
  }

  /** Undefined when the file does not exist; otherwise throws with the system's reason. */
  #whyNot(path: string, cause: unknown): undefined {
    const code = errorCodeOf(cause) ?? 'unknown';
    switch (code) {
      case 'ENOENT':
      case 'ENOTDIR':
        return undefined;
      case 'ELOOP':
      case 'EMLINK': // on FreeBSD, instead of ELOOP
        throw refused(path, 'it is a symbolic link, not a regular file', cause);
      case 'ENXIO':
        throw refused(path, 'it is a socket or a device, not a regular file', cause);
      case 'EISDIR':
        throw refused(path, 'it is a directory, not a regular file', cause);
      default:
        throw refused(path, `the system refused (${code})`, cause);
    }
  }
}

const ASIDE = ['.broken', '.broken-2', '.broken-3', '.broken-4', '.broken-5']; // if all exist, the last is replaced

/** Always false on Windows, which has no such owners and modes; its folders are the user's own. */
function isForeign(uid: number): boolean {
  const self = process.getuid?.();
  return self !== undefined && uid !== self;
}

function isOpenToOthers(mode: number): boolean {
  return process.getuid !== undefined && (mode & 0o077) !== 0;
}

function foreign(path: string, uid: number): HostError {
  return refused(path, `it belongs to another user (uid ${uid})`);
}

function refused(path: string, reason: string, cause?: unknown): HostError {
  return new HostError('config-unreadable', `Plugboard refuses ${path}, where a sign-in is stored: ${reason}`, {
    hint: `Look at: ls -ld ${shellWord(path)}. Move it away, then sign in again`,
    cause,
  });
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  return stats.isFIFO() ? 'a FIFO' : 'a device';
}
