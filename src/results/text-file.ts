import type { SpillPart } from '../model/spilled.js';
import { TimeSlice } from '../edge/time-slice.js';
import type { ResultStore } from './result-store.js';

/** What is known of a text that is in a file. */
export interface WrittenText {
  readonly path: string;
  readonly bytes: number;
  /** Undefined where nobody has counted. */
  readonly lines: number | undefined;
}

/**
 * Writes pieces to a file of the store: one at a time, in constant memory, with a turn for everybody else between. Rejects
 * with a HostError when the disk fails, and nothing is left.
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

/** Encodes into memory that it uses again: a new buffer for each piece would grow the process by all of them. */
class Encoder {
  bytes = 0;
  readonly #file: SpillPart;
  #scratch = Buffer.alloc(0);
  #lineEnds = 0;
  #isOpen = false;

  constructor(file: SpillPart) {
    this.#file = file;
  }

  /** A last line counts, whether or not it is ended. */
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

const SCRATCH = 98_304; // a slice of a text, if every character takes three bytes
const LINE_FEED = 0x0a;
