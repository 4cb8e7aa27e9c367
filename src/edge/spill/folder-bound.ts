import { ftruncateSync } from 'node:fs';
import { HostError } from '../../base/errors.js';
import { pause } from '../../base/pause.js';
import { Watched } from '../../base/watched.js';
import type { Clock } from '../../model/clock.js';
import { systemClock } from '../clock.js';
import { FolderCount, type FolderTotal } from './folder-count.js';
import { type FolderLimits, tidyFolder, UNIT_BYTES, unitsOf } from './tidy-folder.js';

export interface FolderBoundOptions {
  /** Asked each time: the user may change the settings. */
  readonly limits: () => FolderLimits;
  /** Wall-clock time in ms since 1970. */
  readonly now: () => number;
  readonly clock: Clock;
}

/** An open file that is being written. */
export interface BoundedFile {
  readonly fd: number;
  /** Bytes that it may have. */
  reserved: number;
}

/**
 * Keeps what is saved in a folder within its limits, whatever other processes write there. Bytes are counted before
 * they are written; where they would be too many, the oldest files are deleted. The files themselves are looked at only then, and
 * once an hour because of their age.
 */
export class FolderBound implements AsyncDisposable {
  readonly #folder: string;
  readonly #options: FolderBoundOptions;
  readonly #count: FolderCount;
  /** How many files were finished or given up. */
  readonly #ended = new Watched(0);
  /** Who needs room waits here, one after the other, and the last one is this. */
  #making: Promise<void> | undefined;
  #tidying: Promise<void> | undefined;
  #timer: Disposable | undefined;
  #isClosed = false;

  constructor(folder: string, options: FolderBoundOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#count = new FolderCount(folder);
    this.#tidyLater();
  }

  get #most(): number {
    return this.#options.limits().bytes;
  }

  /** Why a file of so many bytes can never be saved. */
  refusal(bytes: number): HostError | undefined {
    return bytes > this.#most ? tooLarge(this.#most) : undefined;
  }

  /** A file has its final name, or is gone. */
  ended(): void {
    this.#ended.set(this.#ended.value + 1);
  }

  /**
   * Makes room for more bytes of a file that exists. Undefined where there is room at once. Throws or rejects with a
   * HostError where there is none.
   */
  reserve(file: BoundedFile, bytes: number): Promise<void> | undefined {
    if (this.#making) return this.#makeRoom(file, bytes);
    const total = this.#take(file, bytes);
    if (!this.#fits(total)) return this.#makeRoom(file, bytes);
    if (this.#isStale(total!)) void this.tidied();
    return undefined;
  }

  /** Resolves when the files have been counted, and those that have to go are deleted. Never rejects. */
  tidied(): Promise<void> {
    return this.#tidy(0).catch(() => {}); // missing, or not to be listed: the next writer is told
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#timer?.[Symbol.dispose]();
    await this.#tidying?.catch(() => {});
  }

  #fits(total: FolderTotal | undefined): boolean {
    return total !== undefined && total.units * UNIT_BYTES <= this.#most;
  }

  /** Also where the clock was set back: the files are too old by one clock or the other. */
  #isStale({ at }: FolderTotal): boolean {
    return Math.abs(this.#options.now() - at) > TIDY_MS;
  }

  /**
   * Counts the bytes, and gives them to the file if there is room. The file gets its new size before anything is
   * counted: so a count of the files, at any moment, sees all bytes that another writer may be about to write.
   */
  #take(file: BoundedFile, bytes: number): FolderTotal | undefined {
    ftruncateSync(file.fd, file.reserved + bytes);
    const total = this.#count.add(unitsFor(file, bytes));
    if (this.#fits(total)) file.reserved += bytes;
    else ftruncateSync(file.fd, file.reserved);
    return total;
  }

  /** One file at a time: of many that begin together each would find no room beside the others. */
  #makeRoom(file: BoundedFile, bytes: number): Promise<void> {
    const before = this.#making;
    const made = this.#makeRoomNow(file, bytes, before).finally(() => {
      if (this.#making === made) this.#making = undefined;
    });
    this.#making = made;
    return made;
  }

  async #makeRoomNow(file: BoundedFile, bytes: number, before: Promise<void> | undefined): Promise<void> {
    await before?.catch(() => {}); // its own caller is told
    using _ = systemClock.hold(); // the clock's own timers do not keep the process alive
    for (let tries = 0; tries < TRIES; tries++) {
      const ended = this.#ended.value;
      await this.#tidy(unitsFor(file, bytes));
      if (this.#fits(this.#take(file, bytes))) return;
      // Files that are being written take the room. When one is finished, it may be deleted.
      await Promise.race([this.#ended.until((now) => now > ended), pause(PAUSE_MS, { clock: systemClock })]);
    }
    throw noRoom(this.#most);
  }

  /** `units`: what a writer needs beside what is there. */
  async #tidy(units: number): Promise<void> {
    // A count that has begun already was made for another need.
    if (units > 0) await this.#tidying?.catch(() => {});
    return (this.#tidying ??= this.#tidyNow(units).finally(() => (this.#tidying = undefined)));
  }

  async #tidyNow(needed: number): Promise<void> {
    const now = this.#options.now();
    const from = this.#count.begin();
    const units = await tidyFolder(this.#folder, { ...this.#options.limits(), now, needed });
    this.#count.publish({ units, at: now }, from);
  }

  /** A host that is open for days and saves nothing still deletes what is too old. */
  #tidyLater(): void {
    this.#timer = this.#options.clock.after(TIDY_MS, () => {
      if (this.#isClosed) return;
      void this.tidied();
      this.#tidyLater();
    });
  }
}

function unitsFor({ reserved }: BoundedFile, bytes: number): number {
  return reserved === 0 ? unitsOf(bytes) : unitsOf(reserved + bytes) - unitsOf(reserved);
}

function tooLarge(most: number): HostError {
  return new HostError('answer-too-large', `The answer is larger than the ${inMegabytes(most)} of all saved results`, {
    hint: 'Raise "mb" of "results" in the settings, or ask for less at a time',
  });
}

function noRoom(most: number): HostError {
  return new HostError('write-failed', `Saved results already take the ${inMegabytes(most)} that they may have`, {
    hint: 'Other results are being saved, or old ones cannot be deleted. Raise "mb" of "results" in the settings',
  });
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / 104_857.6) / 10} MB`;
}

const TIDY_MS = 3_600_000;
const TRIES = 20;
const PAUSE_MS = 50; // for files of other processes, which do not tell when they are finished
