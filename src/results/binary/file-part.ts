import type { FileHandle } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { countLineEnds } from '../text-file.js';
import { countTokens, lengthOfTokens } from '../token-count.js';

interface Bounds {
  readonly tokenLimit: number;
  readonly signal?: AbortSignal | undefined;
}

export interface LineRange extends Bounds {
  /** 0 is the first line. */
  readonly offset: number;
  readonly limit: number;
}

export interface FileLines {
  readonly lines: readonly FileLine[];
  /** Number of all lines; undefined when the rest of the file was not counted. */
  readonly total: number | undefined;
}

export interface FileLine {
  readonly text: string;
  /** Bytes of the line that are not in `text`. */
  readonly left: number;
}

/** Reads lines of a file in chunks. Keeps nothing of what is before and after them, so the size does not matter. */
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
  /** Index of the line that is being read. */
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

  /** Ends the last line; returns the number of lines. */
  end(): number {
    if (!this.#isOpen) return this.#number;
    this.#endLine();
    return this.#number + 1;
  }

  #keep(bytes: Buffer): void {
    const fitting = bytes.subarray(0, Math.max(0, LINE_BYTES - this.#kept));
    // A copy, because the chunk's memory is reused.
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
  /** The text reaches the end of the file. */
  readonly isEnd: boolean;
}

/** Reads characters of a file; `from` and `count` are in UTF-16 code units. */
export async function readCharacters(file: FileHandle, range: CharacterRange): Promise<FileCharacters> {
  const { from, count, tokenLimit, signal } = range;
  const decoder = new StringDecoder('utf8');
  let text = '';
  let position = 0; // of the next decoded character
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

/** The chunks of a file. Each one is overwritten by the next. */
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
export const COUNTED = 67_108_864; // bytes; lines beyond are not counted
const LINE_BYTES = 20_000; // per line; the rest can be read by characters
const NUMBER_TOKENS = 4; // cost of the line number
const LINE_FEED = 0x0a;
