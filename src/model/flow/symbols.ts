/**
 * The letters and digits of texts as numbers, so that a copy is recognised however it is spaced, quoted, punctuated,
 * accented or capitalised. Everything else is skipped. An escape of JSON counts as what it stands for, because servers
 * send JSON as text, and models write the text itself.
 */
export class Symbols {
  /** By UTF-16 code unit, filled as needed: 0 is skipped, `UNKNOWN` not looked at yet. */
  #table: Uint16Array | undefined;

  /** The symbols of a text, and the index in the text that each is from. */
  of(text: string): SymbolText {
    const table = (this.#table ??= new Uint16Array(65_536).fill(UNKNOWN));
    // A letter that counts as two is one code unit.
    const symbols = new Uint16Array(2 * text.length);
    const places = new Uint32Array(2 * text.length);
    let length = 0;
    for (let at = 0; at < text.length; at++) {
      const from = at;
      let unit = text.charCodeAt(at);
      if (unit === BACKSLASH) {
        const escape = unescapedAt(text, at);
        unit = escape.unit;
        at += escape.length - 1;
      }
      let symbol = table[unit]!;
      if (symbol === UNKNOWN) symbol = table[unit] = symbolOf(unit);
      if (symbol === 0) continue;
      symbols[length] = symbol;
      places[length++] = from;
      if (symbol < WIDE_FROM || symbol >= WIDE_TO) continue;
      symbols[length] = symbol ^ WIDE;
      places[length++] = from;
    }
    return { symbols: symbols.subarray(0, length), places: places.subarray(0, length) };
  }
}

export interface SymbolText {
  readonly symbols: Uint16Array;
  /** The index in the text of each symbol. */
  readonly places: Uint32Array;
}

const UNKNOWN = 0xff_ff;
/** Letters that say as much as two of an alphabet, and count as two symbols: Chinese, Japanese, Korean. */
const WIDE_FROM = 0x2e_80;
const WIDE_TO = 0xd8_00;
const WIDE = 0x55_55;

function symbolOf(unit: number): number {
  // Half of a letter beyond the first plane, or of an emoji.
  if (unit >= 0xd8_00 && unit <= 0xdf_ff) return unit;
  const [plain = ''] = String.fromCharCode(unit).normalize('NFKD').toLowerCase();
  return KEPT.test(plain) ? plain.charCodeAt(0) : 0;
}

const KEPT = /[\p{L}\p{N}]/u;

/** The code unit that an escape stands for, and how many characters the escape takes. */
function unescapedAt(text: string, at: number): { readonly unit: number; readonly length: number } {
  const next = text.charCodeAt(at + 1);
  if (SKIPPED_ESCAPES.has(next)) return { unit: SPACE, length: 2 };
  const digits = next === LETTER_U ? 4 : next === LETTER_X ? 2 : 0;
  const hex = text.slice(at + 2, at + 2 + digits);
  const isWhole = digits > 0 && hex.length === digits && HEX.test(hex);
  return isWhole ? { unit: Number.parseInt(hex, 16), length: 2 + digits } : { unit: BACKSLASH, length: 1 };
}

const BACKSLASH = 0x5c;
const SPACE = 0x20;
const LETTER_U = 0x75;
const LETTER_X = 0x78;
const HEX = /^[0-9a-f]+$/iu;
const SKIPPED_ESCAPES: ReadonlySet<number> = new Set([...'nrtbf"\'/\\'].map((sign) => sign.charCodeAt(0)));
