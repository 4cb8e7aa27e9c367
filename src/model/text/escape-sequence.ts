// Control sequences of ECMA-48 with the terminals' additions: BEL ends a string, CAN and SUB abort it.

/** Finds the ends of a text's control sequences. One per text, because it remembers what it has searched. */
export class EscapeScanner {
  readonly #text: string;
  /** No control string that opens before this index is closed: remembered, or many openings would cost a scan each. */
  #unclosedUntil = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The end of the sequence that begins at `at`; undefined if none does. Unfinished ones end where they break off. */
  endOf(at: number): number | undefined {
    const unit = this.#text.charCodeAt(at);
    if (unit === ESC) return this.#afterEscape(at + 1);
    if (unit === CSI) return this.#endOfParameters(at + 1);
    if (!STRING_OPENERS.has(unit)) return undefined;
    // Garbled quotation marks contain U+009D, so of an unclosed 8-bit string only the opening is removed, not the line.
    return this.#endOfString(at + 1).closed ?? at + 1;
  }

  #afterEscape(at: number): number {
    const unit = this.#text.charCodeAt(at);
    if (unit === CSI_LETTER) return this.#endOfParameters(at + 1);
    if (STRING_OPENERS.has(unit + 0x40)) {
      const { closed, open } = this.#endOfString(at + 1);
      return closed ?? open;
    }
    const final = this.#skip(at, 0x20, 0x2f);
    return this.#skip(final, 0x30, 0x7e, 1);
  }

  #endOfParameters(at: number): number {
    const intermediate = this.#skip(at, 0x30, 0x3f);
    const final = this.#skip(intermediate, 0x20, 0x2f);
    return this.#skip(final, 0x40, 0x7e, 1);
  }

  /** A string ends at its terminator; unclosed, at the end of the line or the next escape. */
  #endOfString(at: number): { readonly closed?: number; readonly open: number } {
    if (at < this.#unclosedUntil) return { open: this.#unclosedUntil };
    let end = at;
    while (end < this.#text.length) {
      const unit = this.#text.charCodeAt(end);
      if (unit === BEL || unit === ST || unit === CAN || unit === SUB) return { closed: end + 1, open: end };
      if (unit === ESC && this.#text.charCodeAt(end + 1) === ST_LETTER) return { closed: end + 2, open: end };
      if (unit === ESC || unit === LINE_FEED || unit === RETURN) break;
      end++;
    }
    this.#unclosedUntil = end;
    return { open: end };
  }

  #skip(at: number, from: number, to: number, most = Infinity): number {
    let end = at;
    while (end - at < most) {
      const unit = this.#text.charCodeAt(end);
      if (!(unit >= from && unit <= to)) break;
      end++;
    }
    return end;
  }
}

const BEL = 0x07;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const CSI_LETTER = 0x5b;
const ST_LETTER = 0x5c;
const CSI = 0x9b;
const ST = 0x9c;
/** DCS, SOS, OSC, PM and APC in 8-bit form; the 7-bit form is ESC and the unit 0x40 lower. */
const STRING_OPENERS: ReadonlySet<number> = new Set([0x90, 0x98, 0x9d, 0x9e, 0x9f]);
