/** Finds where a JSON string ends, over pieces of bytes. Linear: what was searched once is remembered. */
export class StringEnd {
  /** The piece that was looked at last has a backslash before the end that was found. */
  hasEscape = false;
  #isEscaped = false;

  /** The index of the closing quote, or -1 when the string goes on in the next piece. `from` lies inside the string. */
  find(bytes: Buffer, from: number): number {
    this.hasEscape = false;
    let at = from;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      this.hasEscape = true;
      at++;
    }
    let quote = -2;
    let slash = -2;
    for (;;) {
      if (quote !== -1 && quote < at) quote = bytes.indexOf(QUOTE, at);
      if (slash !== -1 && slash < at) slash = bytes.indexOf(BACKSLASH, at);
      if (slash === -1 || (quote !== -1 && quote < slash)) return quote;
      this.hasEscape = true;
      at = slash + 2;
      // Where escapes are dense, looking at each byte is cheaper than two searches.
      for (const near = Math.min(at + NEAR, bytes.length); at < near; at++) {
        const code = bytes[at]!;
        if (code === QUOTE) return at;
        if (code === BACKSLASH) at++;
      }
      if (at > bytes.length) {
        this.#isEscaped = true;
        return -1;
      }
    }
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEAR = 32;
