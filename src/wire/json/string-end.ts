import { BACKSLASH, QUOTE } from './json-bytes.js';

/** Finds where a JSON string ends, over pieces of bytes. Native searches for quotes; each byte is looked at once at most. */
export class StringEnd {
  /** The last piece ended in a backslash that escapes what the next one begins with. */
  #isEscaped = false;

  /** The index of the closing quote, or -1 when the string goes on in the next piece. `from` lies inside the string. */
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
      // Where quotes stand close together, looking at each byte is cheaper than a search for each.
      for (const near = Math.min(at + NEAR, bytes.length); at < near; at++) {
        const code = bytes[at]!;
        if (code === QUOTE) return at;
        if (code === BACKSLASH) at++;
      }
      // An escape may have led past the end of the piece.
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
