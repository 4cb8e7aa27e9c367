import { decode } from '../json/decode.js';
import { OPEN_BRACE, OPEN_BRACKET } from '../json/json-bytes.js';
import type { ReadOutcome, MessageReader } from '../message-reader.js';

/** A message in pieces. Millions of one byte cost about as much memory as a few large ones. */
export class WsMessage {
  bytes = 0;
  /** The message does not start like JSON; only its start is kept. */
  isNonMessage = false;
  readonly #reader: MessageReader;
  readonly #head = Buffer.allocUnsafe(START);
  #headBytes = 0;
  #isJudged = false;
  #pieces = 0;
  #smallChunks: Buffer | undefined;
  #smallChunkBytes = 0;

  constructor(reader: MessageReader) {
    this.#reader = reader;
  }

  /** The start of the message, for display. */
  get start(): string {
    return decode(this.#head.subarray(0, this.#headBytes)).text;
  }

  /** Returns a promise to wait for before the next piece. */
  push(bytes: Buffer, from: number, to: number): Promise<void> | undefined {
    const size = to - from;
    this.bytes += size;
    if (this.#headBytes < START) this.#headBytes += bytes.copy(this.#head, this.#headBytes, from, to);
    if (!this.#isJudged) this.#judge(bytes, from, to);
    if (this.isNonMessage || size === 0) return undefined;
    if (++this.#pieces > FEW && size < SMALL_CHUNK) return this.#addSmallChunk(bytes, from, to);
    const wait = this.#sweep();
    // Copied when small: a slice keeps its whole chunk alive, which may be far larger.
    const isMost = 2 * size >= bytes.buffer.byteLength || this.#pieces <= FEW;
    const piece = isMost ? bytes.subarray(from, to) : Buffer.from(bytes.subarray(from, to));
    return wait ? wait.then(() => this.#reader.push(piece)) : this.#reader.push(piece);
  }

  end(): ReadOutcome | Promise<ReadOutcome> {
    const wait = this.#sweep();
    return wait ? wait.then(() => this.#reader.end()) : this.#reader.end();
  }

  discard(): Promise<void> {
    return this.#reader.discard();
  }

  #judge(bytes: Buffer, from: number, to: number): void {
    let at = from;
    while (at < to && BEFORE_JSON.has(bytes[at]!)) at++;
    if (at === to) return;
    this.#isJudged = true;
    this.isNonMessage = bytes[at] !== OPEN_BRACE && bytes[at] !== OPEN_BRACKET;
  }

  #addSmallChunk(bytes: Buffer, from: number, to: number): Promise<void> | undefined {
    const wait = this.#smallChunkBytes + to - from > SMALL_CHUNKS ? this.#sweep() : undefined;
    this.#smallChunks ??= Buffer.allocUnsafe(SMALL_CHUNKS);
    if (to - from === 1) this.#smallChunks[this.#smallChunkBytes++] = bytes[from]!;
    else this.#smallChunkBytes += bytes.copy(this.#smallChunks, this.#smallChunkBytes, from, to);
    return wait;
  }

  /** Passes the small chunks on as one piece. */
  #sweep(): Promise<void> | undefined {
    if (this.#smallChunkBytes === 0) return undefined;
    const piece = Buffer.from(this.#smallChunks!.subarray(0, this.#smallChunkBytes));
    this.#smallChunkBytes = 0;
    return this.#reader.push(piece);
  }
}

const START = 200;
const FEW = 16;
const SMALL_CHUNK = 1_024;
const SMALL_CHUNKS = 16_384;
const BEFORE_JSON: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]); // blanks, a byte order mark
