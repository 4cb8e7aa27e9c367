import { chmodSync, constants, lstatSync } from 'node:fs';
import { type FileHandle, open, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { attempt } from '../../base/attempt.js';
import { HostError } from '../../base/errors.js';
import type { SpillPart, SpillStore } from '../../model/spilled.js';
import { systemClock } from '../clock.js';
import { makePrivateFolder } from '../files/private-folder.js';
import { errorCodeOf, toWriteError } from '../files/write-error.js';
import { writeAll, WriteQueue } from '../logs/write-queue.js';
import { type BoundedFile, FolderBound, type FolderBoundOptions } from './folder-bound.js';
import { PART, ResultNames } from './result-names.js';

export interface SpillFolderOptions extends Partial<FolderBoundOptions> {
  /** The largest size of one part, in bytes; 512 MB by default. */
  readonly partBytes?: number;
  /** Bytes in the queue from which `write` asks the writer to wait for the disk; 1 MB by default. */
  readonly queuedBytes?: number;
}

/** Disposing of it lets go of its files: they may be deleted before those of hosts that are open. */
export interface SpillFolder extends SpillStore, AsyncDisposable {
  readonly folder: string;
  /** `extension`: of the finished file; must never come from a server. */
  open(extension?: string): SpillPart;
  /** Resolves when old files have been deleted. Never rejects. */
  tidied(): Promise<void>;
}

/**
 * Saves content that is too large for memory or for a model to files of this folder, readable by this user alone.
 * Plugboard chooses the file names: no text of a server becomes part of a path. A file whose writer was killed keeps the
 * ending `.part`. Without `limits` the folder may grow.
 */
export function spillFolder(directory: string, options: SpillFolderOptions = {}): SpillFolder {
  const folder = resolve(directory);
  const { limits, now = Date.now, clock = systemClock, ...sizes } = options;
  const names = new ResultNames();
  const bound = limits && new FolderBound(folder, { limits, now, clock });
  let marked: Promise<void> | undefined;
  // The disk may be full: then its files are deleted as if this host were gone.
  const mark = (): Promise<void> =>
    (marked ??= writeFile(join(folder, names.mark), '', { flag: 'wx', mode: 0o600 }).catch(() => {}));
  return {
    folder,
    tidied: async () => bound?.tidied(),
    open(extension) {
      const refusal = refusalOf(folder);
      if (refusal) return refusedFile(refusal);
      return new FilePart(join(folder, names.next(extension, now())), { ...sizes, ...(bound && { bound, mark }) });
    },
    async [Symbol.asyncDispose]() {
      await bound?.[Symbol.asyncDispose]();
      await marked;
      if (marked) await unlink(join(folder, names.mark)).catch(() => {}); // the folder is gone
      marked = undefined;
    },
  };
}

/** Refuses a link in place of the folder: another user could redirect results to any place. */
function refusalOf(folder: string): HostError | undefined {
  try {
    const found = attempt(() => lstatSync(folder, { throwIfNoEntry: false }));
    if (!found) return undefined; // created with the first file, or refused then
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
    return toSpillError(join(folder, 'result'), cause);
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

interface PartOptions extends Pick<SpillFolderOptions, 'partBytes' | 'queuedBytes'> {
  readonly bound?: FolderBound;
  /** Says in the folder that its host is open; once. */
  readonly mark?: () => Promise<void>;
}

const PART_BYTES = 536_870_912; // 512 MB: the largest response that is accepted
const QUEUED_BYTES = 1_048_576; // enough to keep a disk busy
const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

class FilePart implements SpillPart {
  readonly #path: string;
  readonly #part: string;
  readonly #partBytes: number;
  readonly #queuedBytes: number;
  readonly #bound: FolderBound | undefined;
  readonly #queue: WriteQueue;
  readonly #opened: Promise<FileHandle>;
  #bounded: BoundedFile | undefined;
  #bytes = 0;
  #finishing: Promise<string> | undefined;

  constructor(path: string, { partBytes = PART_BYTES, queuedBytes = QUEUED_BYTES, bound, mark }: PartOptions) {
    this.#path = path;
    this.#part = path + PART;
    this.#partBytes = partBytes;
    this.#queuedBytes = queuedBytes;
    this.#bound = bound;
    this.#opened = createFile(this.#part, mark);
    this.#opened.catch(() => {}); // `end` reports the failure
    this.#queue = new WriteQueue((blocks) => this.#write(blocks), this.#opened);
  }

  write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#finishing) return undefined;
    this.#bytes += bytes.length;
    const refusal = this.#bytes > this.#partBytes ? tooLarge(this.#partBytes) : this.#bound?.refusal(this.#bytes);
    if (refusal) this.#queue.stop(refusal);
    this.#queue.push(bytes);
    return this.#queue.queued > this.#queuedBytes ? this.#caughtUp() : undefined;
  }

  end(): Promise<string> {
    return (this.#finishing ??= this.#finish());
  }

  async discard(): Promise<void> {
    this.#queue.stop(new HostError('cancelled', `Saving ${this.#path} was cancelled`));
    const isThere = await this.end().then(
      () => true,
      () => false, // the failure that `stop` caused
    );
    if (isThere) await unlink(this.#path).catch(() => {}); // the file is already gone
  }

  async #caughtUp(): Promise<void> {
    while (this.#queue.queued > this.#queuedBytes) await this.#queue.progress();
  }

  async #write(blocks: readonly Uint8Array[]): Promise<void> {
    const file = await this.#opened;
    await this.#reserve(file);
    await writeAll(file, blocks);
  }

  /** All that waits at once: of many files that each had half of what they need, none could go on. */
  async #reserve({ fd }: FileHandle): Promise<void> {
    if (!this.#bound) return;
    this.#bounded ??= { fd, reserved: 0 };
    const bytes = this.#bytes - this.#bounded.reserved;
    if (bytes > 0 || this.#bytes === 0) await this.#bound.reserve(this.#bounded, bytes);
  }

  async #finish(): Promise<string> {
    await this.#queue.flushed();
    this.#queue.release();
    let file: FileHandle | undefined;
    try {
      file = await this.#opened;
      if (this.#bytes === 0) await this.#reserve(file).catch((error: unknown) => this.#queue.stop(error)); // it counts as well
      await file.close(); // a network disk may report only now that it is full
      if (this.#queue.failure) throw this.#queue.failure.error;
      await rename(this.#part, this.#path);
      return this.#path;
    } catch (error) {
      if (file) await unlink(this.#part).catch(() => {}); // a disk that refuses this too leaves nothing to try
      throw toSpillError(this.#path, error);
    } finally {
      this.#bound?.ended();
    }
  }
}

/** The folder is made only where there is none: nearly always there is one. */
async function createFile(path: string, mark?: () => Promise<void>): Promise<FileHandle> {
  const file = await open(path, CREATE_FLAGS, 0o600).catch(async (error: unknown) => {
    if (errorCodeOf(error) !== 'ENOENT') throw error;
    await makePrivateFolder(dirname(path));
    return open(path, CREATE_FLAGS, 0o600);
  });
  await mark?.();
  return file;
}

function tooLarge(limit: number): HostError {
  return new HostError('answer-too-large', `The answer has more than the ${limit} bytes that may go to a file`, {
    hint: 'Ask for less at a time',
  });
}

function toSpillError(path: string, cause: unknown): HostError {
  if (cause instanceof HostError) return cause;
  const { hint } = toWriteError(path, cause);
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new HostError('write-failed', `Cannot save a large answer as ${path}: ${reason}`, { hint, cause });
}
