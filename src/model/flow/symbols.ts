/**
 * The letters and digits of texts as numbers, so that a copy is recognised however it is spaced, quoted, punctuated,
 * accented or capitalised. Everything else is skipped, and so are the numbers of the items of a list. An escape of JSON
 * counts as what it stands for, because servers send JSON as text, and models write the text itself.
 */
export class Symbols {
  /** By UTF-16 code unit, filled as needed: 0 is skipped, `UNKNOWN` not looked at yet. */
  #table: Uint16Array | undefined;

  /** The symbols of a text, and the index in the text that each is from. */
  of(text: string): SymbolText {
    const table = (this.#table ??= new Uint16Array(65_536).fill(UNKNOWN));
    let symbols = new Uint16Array(text.length);
    let places = new Uint32Array(text.length);
    let length = 0;
    let isLineStart = true;
    for (let at = 0; at < text.length; at++) {
      const from = at;
      let unit = text.charCodeAt(at);
      if (unit === BACKSLASH) {
        const escape = unescapedAt(text, at);
        unit = escape.unit;
        at += escape.length - 1;
      }
      let symbol = table[unit]!;
      if (symbol === 0) {
        if (unit === NEWLINE) isLineStart = true;
        continue;
      }
      let second = 0;
      if (symbol >= WIDE_FROM) {
        if (symbol === UNKNOWN) symbol = table[unit] = symbolOf(unit);
        if (symbol === PAIRED) {
          const point = text.codePointAt(at)!;
          if (point > 0xff_ff) at++;
          [symbol, second] = pairOf(point);
        } else if (symbol >= WIDE_FROM && symbol < WIDE_TO) second = symbol ^ WIDE;
        if (symbol === 0) {
          if (unit === NEWLINE) isLineStart = true;
          continue;
        }
      }
      if (isLineStart) {
        const mark = symbol <= NINE ? listMarkAt(text, at) : 0;
        if (mark > 0) {
          at += mark - 1;
          continue;
        }
        isLineStart = false;
      }
      if (length + 2 > symbols.length && second !== 0) {
        [symbols, places] = [doubled(symbols, text.length), doubled(places, text.length)];
      }
      symbols[length] = symbol;
      places[length++] = from;
      if (second === 0) continue;
      symbols[length] = second;
      places[length++] = from;
    }
    return { symbols: symbols.subarray(0, length), places: places.subarray(0, length) };
  }
}

/** Room for a text each letter of which counts as two; a letter that counts as two is one code unit or two. */
function doubled<List extends Uint16Array | Uint32Array>(list: List, length: number): List {
  const longer = new (list.constructor as new (length: number) => List)(2 * length);
  longer.set(list);
  return longer;
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

/** The first half of a letter beyond the first plane, or of an emoji. */
const PAIRED = 0xd8_00;

function symbolOf(unit: number): number {
  if (unit >= 0xd8_00 && unit <= 0xdb_ff) return PAIRED;
  const letter = String.fromCharCode(unit);
  // A syllable of Hangul would be taken apart into the sounds that it is written with.
  const [plain = ''] = unit >= 0xac_00 && unit <= 0xd7_a3 ? letter : letter.normalize('NFKD').toLowerCase();
  return KEPT.test(plain) ? plain.charCodeAt(0) : 0;
}

const KEPT = /[\p{L}\p{N}]/u;

/** The symbols of a letter that is two code units; 0 for none. */
function pairOf(point: number): readonly [number, number] {
  const letter = String.fromCodePoint(point);
  // Letters of the alphabet in bold, in circles and the like.
  const plain = point >= 0x1_d4_00 && point <= 0x1_f2_ff ? letter.normalize('NFKD').toLowerCase() : letter;
  if (!KEPT.test(plain)) return [0, 0];
  return plain.length === 1 ? [plain.charCodeAt(0), 0] : [plain.charCodeAt(0), plain.charCodeAt(1)];
}

/** How many characters the number of a list's item takes: `12. `, `3) `. */
function listMarkAt(text: string, at: number): number {
  LIST_MARK.lastIndex = at;
  return LIST_MARK.exec(text)?.[0].length ?? 0;
}

const LIST_MARK = /\d{1,3}[.)](?=[ \t])/uy;

/** The code unit that an escape stands for, and how many characters the escape takes. */
function unescapedAt(text: string, at: number): { readonly unit: number; readonly length: number } {
  const next = text.charCodeAt(at + 1);
  if (next === LETTER_N) return { unit: NEWLINE, length: 2 };
  if (SKIPPED_ESCAPES.has(next)) return { unit: SPACE, length: 2 };
  const digits = next === LETTER_U ? 4 : next === LETTER_X ? 2 : 0;
  const hex = text.slice(at + 2, at + 2 + digits);
  const isWhole = digits > 0 && hex.length === digits && HEX.test(hex);
  return isWhole ? { unit: Number.parseInt(hex, 16), length: 2 + digits } : { unit: BACKSLASH, length: 1 };
}

const BACKSLASH = 0x5c;
const SPACE = 0x20;
const NEWLINE = 0x0a;
const NINE = 0x39;
const LETTER_N = 0x6e;
const LETTER_U = 0x75;
const LETTER_X = 0x78;
const HEX = /^[0-9a-f]+$/iu;
const SKIPPED_ESCAPES: ReadonlySet<number> = new Set(Array.from('rtbf"\'/\\', (sign) => sign.charCodeAt(0)));
