import type { SpillPart } from '../model/spilled.js';
import { TimeSlice } from '../edge/time-slice.js';
import type { ResultStore } from './result-store.js';

/** A text that has been written to a file. */
export interface WrittenText {
  readonly path: string;
  readonly bytes: number;
  /** Undefined when the lines were not counted. */
  readonly lines: number | undefined;
}

/**
 * Writes chunks to a file of the store, in constant memory, yielding to the event loop. Rejects with a HostError when
 * the disk fails, and leaves no file.
 */
export async function writeText(
  store: ResultStore,
  extension: string,
  pieces: Iterable<string>,
  signal?: AbortSignal,
): Promise<WrittenText> {
  const file = store.open(extension);
  const encoder = new Encoder(file);
  const turns = new TimeSlice();
  try {
    for (const piece of pieces) {
      await encoder.write(piece);
      await turns.pause();
      signal?.throwIfAborted();
    }
    const path = await file.end();
    return { path, bytes: encoder.bytes, lines: encoder.lines };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** Encodes into a reused buffer: a new one for each chunk would grow the process by the whole text. */
class Encoder {
  bytes = 0;
  readonly #file: SpillPart;
  #scratch = Buffer.alloc(0);
  #lineEnds = 0;
  #isOpen = false;

  constructor(file: SpillPart) {
    this.#file = file;
  }

  /** Counts a last line without a line end. */
  get lines(): number {
    return this.#lineEnds + (this.#isOpen ? 1 : 0);
  }

  write(piece: string): Promise<void> | undefined {
    if (piece === '') return undefined;
    const most = piece.length * 3;
    if (this.#scratch.length < most) this.#scratch = Buffer.allocUnsafeSlow(Math.max(most, SCRATCH));
    const length = this.#scratch.write(piece, 'utf8');
    const bytes = this.#scratch.subarray(0, length);
    this.bytes += length;
    this.#lineEnds += countLineEnds(bytes);
    this.#isOpen = bytes[length - 1] !== LINE_FEED;
    return this.#file.write(bytes);
  }
}

export function countLineEnds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

const SCRATCH = 98_304; // bytes of a slice, if every character takes three
const LINE_FEED = 0x0a;
