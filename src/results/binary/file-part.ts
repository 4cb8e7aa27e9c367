import type { FileHandle } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { countLineEnds } from '../text-file.js';
import { countTokens, lengthOfTokens } from '../token-count.js';

interface Bounds {
  readonly tokenLimit: number;
  readonly signal?: AbortSignal | undefined;
}

export interface LineRange extends Bounds {
  /** The first line is 0. */
  readonly offset: number;
  readonly limit: number;
}

export interface FileLines {
  readonly lines: readonly FileLine[];
  /** How many there are in all; undefined where nobody has counted so far. */
  readonly total: number | undefined;
}

export interface FileLine {
  readonly text: string;
  /** Bytes of it that are not in the text. */
  readonly left: number;
}

/** Lines of a file, which is read in chunks: neither what lies before nor what lies behind is kept, however large it is. */
export async function readLines(file: FileHandle, range: LineRange): Promise<FileLines> {
  const collector = new LineCollector(range);
  let read = 0;
  for await (const chunk of chunksOf(file, range.signal)) {
    read += chunk.length;
    collector.add(chunk);
    if (collector.isFull && read > COUNTED) return { lines: collector.lines, total: undefined };
  }
  return { lines: collector.lines, total: collector.end() };
}

class LineCollector {
  readonly lines: FileLine[] = [];
  isFull = false;
  readonly #range: LineRange;
  /** Of the line that is being read. */
  #number = 0;
  #isOpen = false;
  #pieces: Buffer[] = [];
  #kept = 0;
  #left = 0;
  #tokens = 0;

  constructor(range: LineRange) {
    this.#range = range;
  }

  add(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !this.isFull) {
      const end = chunk.indexOf(LINE_FEED, at);
      if (this.#number >= this.#range.offset) this.#keep(chunk.subarray(at, end === -1 ? chunk.length : end));
      if (end === -1) break;
      this.#endLine();
      this.#number++;
      at = end + 1;
    }
    if (this.isFull) this.#number += countLineEnds(chunk.subarray(at));
    this.#isOpen = chunk[chunk.length - 1] !== LINE_FEED;
  }

  /** How many lines there were. */
  end(): number {
    if (!this.#isOpen) return this.#number;
    this.#endLine();
    return this.#number + 1;
  }

  #keep(bytes: Buffer): void {
    const fitting = bytes.subarray(0, Math.max(0, LINE_BYTES - this.#kept));
    // A copy, because the chunk's memory is used again.
    if (fitting.length > 0) this.#pieces.push(Buffer.from(fitting));
    this.#kept += fitting.length;
    this.#left += bytes.length - fitting.length;
  }

  #endLine(): void {
    if (this.isFull || this.#number < this.#range.offset) return;
    const text = Buffer.concat(this.#pieces).toString('utf8').replace(/\r$/u, '');
    this.#tokens += countTokens(text) + NUMBER_TOKENS;
    const isTooMuch = this.lines.length > 0 && this.#tokens > this.#range.tokenLimit;
    if (!isTooMuch) this.lines.push({ text, left: this.#left });
    this.isFull = isTooMuch || this.lines.length >= this.#range.limit;
    this.#pieces = [];
    this.#kept = this.#left = 0;
  }
}

export interface CharacterRange extends Bounds {
  readonly from: number;
  readonly count: number;
}

export interface FileCharacters {
  readonly text: string;
  /** Nothing comes after it. */
  readonly isEnd: boolean;
}

/** Characters of a file, in UTF-16 units as JavaScript counts them. */
export async function readCharacters(file: FileHandle, range: CharacterRange): Promise<FileCharacters> {
  const { from, count, tokenLimit, signal } = range;
  const decoder = new StringDecoder('utf8');
  let text = '';
  let position = 0; // of what is decoded next
  for await (const chunk of chunksOf(file, signal)) {
    const decoded = decoder.write(chunk);
    if (position + decoded.length > from) text += decoded.slice(Math.max(0, from - position));
    position += decoded.length;
    if (text.length > count) break;
  }
  const cut = text.length > count ? text.slice(0, count) : text + decoder.end();
  const length = lengthOfTokens(cut, tokenLimit);
  return { text: cut.slice(0, length), isEnd: length === cut.length && text.length <= count };
}

/** Each is overwritten by the next. */
export async function* chunksOf(file: FileHandle, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(CHUNK);
  for (let position = 0; ;) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, CHUNK, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

const CHUNK = 262_144;
export const COUNTED = 67_108_864; // bytes: the lines of more are not counted for the sake of a number
const LINE_BYTES = 20_000; // of one line; what lies behind can be had by characters
const NUMBER_TOKENS = 4; // what the number before a line costs
const LINE_FEED = 0x0a;
