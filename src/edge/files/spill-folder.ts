import { constants } from 'node:fs';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { HostError } from '../../base/errors.js';
import type { SpillPart, SpillStore } from '../../model/spilled.js';
import { makePrivateFolder } from './private-folder.js';
import { toWriteError } from './write-error.js';
import { writeAll, WriteQueue } from '../logs/write-queue.js';
import { randomHex } from '../random-hex.js';

export interface SpillLimits {
  /** The largest size of one part, in bytes; 512 MB by default. */
  readonly partBytes?: number;
  /** Bytes in the queue from which `write` asks the writer to wait for the disk; 1 MB by default. */
  readonly queuedBytes?: number;
}

/**
 * Saves content that is too large for memory to files of this folder, readable by this user alone. Plugboard chooses
 * the file names: no text of a server becomes part of a path. A file whose writer was killed keeps the ending `.part`.
 */
export function spillFolder(directory: string, limits: SpillLimits = {}): SpillFolder {
  const folder = resolve(directory);
  return { open: (name = `result-${randomHex(8)}`) => new FilePart(join(folder, name), limits) };
}

export interface SpillFolder extends SpillStore {
  /** `name`: of the finished file; must never come from a server. */
  open(name?: string): SpillPart;
}

const PART_BYTES = 536_870_912; // 512 MB: the largest response that is accepted
const QUEUED_BYTES = 1_048_576; // enough to keep a disk busy
const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

class FilePart implements SpillPart {
  readonly #path: string;
  readonly #part: string;
  readonly #partBytes: number;
  readonly #queuedBytes: number;
  readonly #queue = new WriteQueue((blocks) => this.#write(blocks));
  readonly #opened: Promise<FileHandle>;
  #bytes = 0;
  #finishing: Promise<string> | undefined;

  constructor(path: string, limits: SpillLimits) {
    this.#path = path;
    this.#part = `${path}.part`;
    this.#partBytes = limits.partBytes ?? PART_BYTES;
    this.#queuedBytes = limits.queuedBytes ?? QUEUED_BYTES;
    this.#opened = makePrivateFolder(dirname(path)).then(() => open(this.#part, CREATE_FLAGS, 0o600));
    this.#opened.catch(() => {}); // `end` reports the failure
  }

  write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#finishing) return undefined;
    this.#bytes += bytes.length;
    if (this.#bytes > this.#partBytes) this.#queue.stop(tooLarge(this.#partBytes));
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
    await writeAll(await this.#opened, blocks);
  }

  async #finish(): Promise<string> {
    await this.#queue.flushed();
    this.#queue.release();
    let file: FileHandle | undefined;
    try {
      file = await this.#opened;
      await file.close(); // a network disk may report only now that it is full
      if (this.#queue.failure) throw this.#queue.failure.error;
      await rename(this.#part, this.#path);
      return this.#path;
    } catch (error) {
      if (file) await unlink(this.#part).catch(() => {}); // a disk that refuses this too leaves nothing to try
      throw toSpillError(this.#path, error);
    }
  }
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
