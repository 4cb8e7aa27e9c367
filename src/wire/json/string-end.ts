import { BACKSLASH, QUOTE } from './json-bytes.js';

/** Finds the end of a JSON string over several chunks by native searches for quotes; no byte is visited twice. */
export class StringEnd {
  /** The last chunk ended in a backslash that escapes the first byte of the next. */
  #isEscaped = false;

  /** The index of the closing quote; -1 when the string goes on in the next chunk. `from` is inside the string. */
  find(bytes: Buffer, from: number): number {
    const carried = this.#isEscaped;
    const start = carried ? from + 1 : from;
    const end = start > bytes.length ? -1 : this.#findQuote(bytes, start);
    if (end === -1) this.#isEscaped = start <= bytes.length ? isEscapedAt(bytes, bytes.length, start) : carried;
    else this.#isEscaped = false;
    return end;
  }

  #findQuote(bytes: Buffer, start: number): number {
    let at = start;
    for (;;) {
      const quote = bytes.indexOf(QUOTE, at);
      if (quote === -1 || !isEscapedAt(bytes, quote, start)) return quote;
      const isDense = quote - at < DENSE;
      at = quote + 1;
      if (!isDense) continue;
      // Where quotes are dense, a loop is faster than one search per quote.
      for (const near = Math.min(at + NEAR, bytes.length); at < near; at++) {
        const code = bytes[at]!;
        if (code === QUOTE) return at;
        if (code === BACKSLASH) at++;
      }
      // An escape may extend past the end of the chunk.
      if (at > bytes.length) return -1;
    }
  }
}

/** Whether an odd number of backslashes stands before `at`. */
function isEscapedAt(bytes: Buffer, at: number, start: number): boolean {
  let first = at;
  while (first > start && bytes[first - 1] === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

const DENSE = 24;
const NEAR = 256;
