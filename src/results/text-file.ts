import { plainLineEnds } from '../model/text/plain-ascii.js';
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

export interface WriteTextOptions {
  readonly extension: string;
  readonly signal?: AbortSignal | undefined;
  /** What a piece passes on its way, unless it is plain: then it would not change it. */
  readonly gate?: (piece: string) => string;
}

/**
 * Writes chunks to a file of the store, in constant memory, yielding to the event loop. Rejects with a HostError when
 * the disk fails, and leaves no file.
 */
export async function writeText(
  store: ResultStore,
  pieces: Iterable<string>,
  { extension, signal, gate }: WriteTextOptions,
): Promise<WrittenText> {
  const file = store.open(extension);
  const encoder = new Encoder(file, gate);
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
  readonly #gate: WriteTextOptions['gate'];

  constructor(file: SpillPart, gate: WriteTextOptions['gate']) {
    this.#file = file;
    this.#gate = gate;
  }

  /** Counts a last line without a line end. */
  get lines(): number {
    return this.#lineEnds + (this.#isOpen ? 1 : 0);
  }

  write(piece: string): Promise<void> | undefined {
    let bytes = this.#encode(piece);
    // Looking at bytes costs a third of looking at characters.
    let lineEnds = bytes.length === piece.length ? plainLineEnds(bytes) : undefined;
    if (this.#gate && lineEnds === undefined) bytes = this.#encode(this.#gate(piece));
    const { length } = bytes;
    if (length === 0) return undefined;
    this.bytes += length;
    lineEnds ??= countLineEnds(bytes);
    this.#lineEnds += lineEnds;
    this.#isOpen = bytes[length - 1] !== LINE_FEED;
    return this.#file.write(bytes);
  }

  #encode(piece: string): Buffer {
    const most = piece.length * 3;
    if (this.#scratch.length < most) this.#scratch = Buffer.allocUnsafeSlow(Math.max(most, SCRATCH));
    return this.#scratch.subarray(0, this.#scratch.write(piece, 'utf8'));
  }
}

export function countLineEnds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

const SCRATCH = 98_304; // bytes of a slice, if every character takes three
const LINE_FEED = 0x0a;
