import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { HostError } from '../../base/errors.js';
import { VERSION } from '../../base/version.js';
import type { Clock } from '../../model/clock.js';
import { errorCodeOf, toWriteError } from '../files/write-error.js';
import { writeAll, WriteQueue } from './write-queue.js';

export interface RecordingFileOptions {
  readonly clock: Clock;
  /** When the run began, as wall-clock time. */
  readonly at: Date;
  readonly limits?: RecordingLimits;
}

export interface RecordingLimits {
  readonly lineBytes?: number;
  readonly fileBytes?: number;
  /** Bytes that may wait for a disk that is slower than the servers. */
  readonly queuedBytes?: number;
}

/** Has the shape of the wire's Recorder, which this room may not import. */
export interface ServerRecorder {
  readonly isOver: boolean;
  record(event: object): void;
}

/**
 * Opens a file for the messages of one run, readable by this user alone. Replaces an older recording; refuses any other
 * existing file with a `HostError`, and leaves it unchanged.
 */
export async function openRecording(path: string, options: RecordingFileOptions): Promise<RecordingFile> {
  const full = resolve(path);
  try {
    return new RecordingFile(full, await openCarefully(full), options);
  } catch (cause) {
    throw toRecordError(full, cause);
  }
}

/**
 * JSON lines: first `{ plugboard: "recording", format, version, at }`, then one object per event, with `ms` since the
 * start, `server`, `connection` (from a server's second connection on) and `from`: `host` or `server` with a `message`,
 * `pipe` with an `event` (opened, adopted, abandoned, unsent, failed, refused, note, closed, unrecorded). The events
 * `gap` and `full` are about the file itself. A failed write is kept in `problem` and harms no call.
 */
export class RecordingFile implements AsyncDisposable {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #clock: Clock;
  readonly #start: number;
  readonly #limits: Required<RecordingLimits>;
  readonly #queue: WriteQueue;
  readonly #connections = new Map<string, number>();
  #bytes = 0;
  /** Events dropped because the disk was too slow: since the last line, and in all. */
  #gap = 0;
  #leftOut = 0;
  #isFull = false;
  #closing: Promise<void> | undefined;

  constructor(path: string, file: FileHandle, { clock, at, limits }: RecordingFileOptions) {
    this.path = path;
    this.#file = file;
    this.#clock = clock;
    this.#start = clock.monotonic();
    this.#limits = { lineBytes: LINE_BYTES, fileBytes: FILE_BYTES, queuedBytes: QUEUED_BYTES, ...limits };
    this.#queue = new WriteQueue((blocks) => writeAll(file, blocks));
    this.#push({ plugboard: 'recording', format: FORMAT, version: VERSION, at: at.toISOString() });
  }

  /** Records one connection to a server. Later connections to the same server are numbered from 2. */
  recorder(server: string): ServerRecorder {
    const connection = (this.#connections.get(server) ?? 0) + 1;
    this.#connections.set(server, connection);
    const head = { server, ...(connection > 1 && { connection }) };
    const isOver = (): boolean => this.#isOver;
    return {
      get isOver() {
        return isOver();
      },
      record: (event) => this.#record(head, event),
    };
  }

  /** What is missing in the file, and why; undefined when nothing is. */
  get problem(): HostError | undefined {
    const { failure } = this.#queue;
    if (failure) return toRecordError(this.path, failure.error);
    if (this.#isFull) {
      const message = `The recording ${this.path} has reached ${this.#limits.fileBytes} bytes; what came later is not in it`;
      return new HostError('write-failed', message, { hint: 'Record less at a time: one server, one call' });
    }
    if (this.#leftOut === 0) return undefined;
    const message = `${this.#leftOut} messages are not in the recording ${this.path}: the disk was slower than the servers`;
    return new HostError('write-failed', message, { hint: 'Record to a faster disk' });
  }

  /** Resolves when everything is written, or writing has failed. */
  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  get #isOver(): boolean {
    return this.#isFull || this.#closing !== undefined || this.#queue.failure !== undefined;
  }

  #record(head: object, event: object): void {
    if (this.#isOver) return;
    const bytes = this.#toBoundedLine({ ms: this.#elapsed(), ...head }, event);
    if (this.#queue.queued + bytes.length > this.#limits.queuedBytes) {
      this.#gap++;
      this.#leftOut++;
      return;
    }
    if (this.#bytes + bytes.length > this.#limits.fileBytes - LAST_BYTES) {
      this.#push({ ms: this.#elapsed(), event: 'full', limit: this.#limits.fileBytes });
      this.#isFull = true;
      return;
    }
    this.#markGap();
    this.#bytes += bytes.length;
    this.#queue.push(bytes);
  }

  #toBoundedLine(head: object, event: object): Buffer {
    try {
      const bytes = toLine({ ...head, ...event });
      if (bytes.length <= this.#limits.lineBytes) return bytes;
      return toLine({ ...head, from: 'pipe', event: 'unrecorded', bytes: bytes.length });
    } catch {
      return toLine({ ...head, from: 'pipe', event: 'unrecorded' }); // the event is not plain JSON
    }
  }

  #markGap(): void {
    if (this.#gap > 0) this.#push({ ms: this.#elapsed(), event: 'gap', count: this.#gap });
    this.#gap = 0;
  }

  #push(line: object): void {
    const bytes = toLine(line);
    this.#bytes += bytes.length;
    this.#queue.push(bytes);
  }

  #elapsed(): number {
    return Math.round(this.#clock.monotonic() - this.#start);
  }

  async #close(): Promise<void> {
    this.#markGap();
    await this.#queue.flushed();
    // A network disk may report only now that it is full.
    await this.#file.close().catch((error: unknown) => this.#queue.stop(error));
  }
}

export const FORMAT = 1;
const LINE_BYTES = 1_048_576; // a redacted message has at most 1 MB, and the other fields are small
export const FILE_BYTES = 268_435_456; // 256 MB: more than one person sends to another
const LAST_BYTES = 512; // reserved for the event `full`
const QUEUED_BYTES = 8_388_608; // eight of the largest messages

function toLine(line: object): Buffer {
  return Buffer.from(`${JSON.stringify(line)}\n`);
}

/** Follows no link, which another user could have put there, never blocks on a FIFO, and truncates nothing unseen. */
const OPEN_FLAGS =
  constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

async function openCarefully(path: string): Promise<FileHandle> {
  const file = await open(path, OPEN_FLAGS, 0o600);
  try {
    const reason = await objectionTo(file);
    if (reason !== undefined) {
      throw new HostError('write-failed', `Cannot record to ${path}: ${reason}`, { hint: 'Name another file' });
    }
    await file.chmod(0o600);
    await file.truncate();
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function objectionTo(file: FileHandle): Promise<string | undefined> {
  const stats = await file.stat();
  if (!stats.isFile()) return 'it is not a regular file';
  const self = process.getuid?.();
  if (self !== undefined && stats.uid !== self) return `it belongs to another user (uid ${stats.uid})`;
  if (stats.size === 0) return undefined;
  const start = Buffer.alloc(RECORDING_START.length);
  await file.read(start, 0, start.length, 0);
  return start.toString() === RECORDING_START ? undefined : 'it exists already, and is not a recording';
}

const RECORDING_START = '{"plugboard":"recording"';

function toRecordError(path: string, cause: unknown): HostError {
  if (cause instanceof HostError) return cause;
  if (errorCodeOf(cause) === 'ELOOP') {
    return new HostError('write-failed', `Cannot record to ${path}: it is a symbolic link`, {
      hint: 'Name the file that it leads to',
      cause,
    });
  }
  const { hint } = toWriteError(path, cause);
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new HostError('write-failed', `Cannot record to ${path}: ${reason}`, { hint, cause });
}
