// https://www.unicode.org/reports/tr11/ and https://www.unicode.org/reports/tr51/: East Asian Width W and F, and emoji, as of Unicode 17.
import { EscapeScanner } from '../../../model/text/escape-sequence.js';

/**
 * Scans a text as a terminal does, one letter with everything drawn over it or one escape sequence at a time. Joined
 * emoji, a flag, and a letter with its accents are one letter.
 */
export class LetterScanner {
  /** The last letter is from `start` to `end`. */
  start = 0;
  end = 0;
  /** In columns. */
  width = 0;
  isEscape = false;
  readonly #text: string;
  readonly #escapes: EscapeScanner;

  constructor(text: string) {
    this.#text = text;
    this.#escapes = new EscapeScanner(text);
  }

  /** Scans the next letter; false at the end. */
  next(): boolean {
    const text = this.#text;
    const at = this.end;
    if (at >= text.length) return false;
    this.start = at;
    this.isEscape = false;
    const unit = text.charCodeAt(at);
    if (unit < 0x7f && unit >= 0x20 && !(text.charCodeAt(at + 1) >= FIRST_MARK)) {
      this.end = at + 1;
      this.width = 1;
      return true;
    }
    const after = unit < 0x20 || (unit >= 0x7f && unit < 0xa0) ? this.#escapes.endOf(at) : undefined;
    if (after !== undefined) {
      this.end = after;
      this.width = 0;
      this.isEscape = true;
    } else this.#readLetter(text.codePointAt(at)!);
    return true;
  }

  #readLetter(base: number): void {
    const text = this.#text;
    this.end += unitsOf(base);
    this.width = letterWidth(base);
    let next = text.codePointAt(this.end);
    if (isRegional(base) && isRegional(next)) {
      this.end += unitsOf(next!);
      next = text.codePointAt(this.end);
    }
    while (next !== undefined && next >= FIRST_MARK) {
      if (next === EMOJI_STYLE && isEmoji(base)) this.width = 2;
      else if (next === JOINER && isPictograph(base) && isPictograph(text.codePointAt(this.end + 1)))
        this.end += unitsOf(text.codePointAt(this.end + 1)!);
      else if (!(isSkinTone(next) && isPictograph(base)) && letterWidth(next) !== 0) break;
      this.end += unitsOf(next);
      next = text.codePointAt(this.end);
    }
  }
}

/** Columns of a single character. */
export function letterWidth(code: number): 0 | 1 | 2 {
  if (code < FIRST_MARK) return code < 0x20 || (code >= 0x7f && code < 0xa0) || code === SOFT_HYPHEN ? 0 : 1;
  if (isWide(code)) return 2;
  if (SYMBOLS.from <= code && code <= SYMBOLS.to) return 1;
  return isZeroWidth(code) ? 0 : 1;
}

const FIRST_MARK = 0x300;
const SOFT_HYPHEN = 0xad;
const JOINER = 0x200d;
const EMOJI_STYLE = 0xfe0f;
/** Arrows, lines, boxes, ticks: Plugboard draws with these, they have width 1 and need no lookup in a long table. */
const SYMBOLS = { from: 0x2100, to: 0x2bff };

/** First and last code of each range, alternating, for binary search. Unassigned codes count like their neighbours. */
const WIDE: readonly number[] = [
  '1100-115f 231a-231b 2329-232a 23e9-23ec 23f0 23f3 25fd-25fe 2614-2615 2630-2637 2648-2653 267f 268a-268f',
  '2693 26a1 26aa-26ab 26bd-26be 26c4-26c5 26ce 26d4 26ea 26f2-26f3 26f5 26fa 26fd 2705 270a-270b 2728 274c',
  '274e 2753-2755 2757 2795-2797 27b0 27bf 2b1b-2b1c 2b50 2b55 2e80-3029 302e-303e 3041-3098 309b-3247',
  '3250-a4cf a960-a97f ac00-d7a3 f900-faff fe10-fe19 fe30-fe6f ff01-ff60 ffe0-ffe6 16fe0-16fe3 16ff0-18d1f',
  '18d80-18df2 1aff0-1b2ff 1d300-1d356 1d360-1d376 1f004 1f0cf 1f18e 1f191-1f19a 1f1e6-1f320 1f32d-1f335',
  '1f337-1f37c 1f37e-1f393 1f3a0-1f3ca 1f3cf-1f3d3 1f3e0-1f3f0 1f3f4 1f3f8-1f43e 1f440 1f442-1f4fc',
  '1f4ff-1f53d 1f54b-1f54e 1f550-1f567 1f57a 1f595-1f596 1f5a4 1f5fb-1f64f 1f680-1f6c5 1f6cc 1f6d0-1f6d2',
  '1f6d5-1f6df 1f6eb-1f6ef 1f6f4-1f6ff 1f7e0-1f7ff 1f90c-1f93a 1f93c-1f945 1f947-1f9ff 1fa70-1faff',
  '20000-3fffd',
]
  .flatMap((row) => row.split(' '))
  .flatMap((range) => [range.split('-')[0]!, range.split('-').at(-1)!])
  .map((code) => Number.parseInt(code, 16));

function isWide(code: number): boolean {
  if (code < WIDE[0]!) return false;
  let low = 0;
  let high = WIDE.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (WIDE[middle]! <= code) low = middle;
    else high = middle - 1;
  }
  // An even index is the beginning of a range that has not ended.
  return low % 2 === 0 || WIDE[low] === code;
}

// Patterns are inside their functions: compiling one takes 1 ms, and plain text never needs it.
function isZeroWidth(code: number): boolean {
  return /^(?![\u0600-\u0605\u06dd\u070f\u0890-\u0891\u08e2\u{110bd}\u{110cd}])[\p{Mn}\p{Me}\p{Cf}\p{Cs}\u2028\u2029\u1160-\u11ff\ud7b0-\ud7ff]$/u.test(
    String.fromCodePoint(code),
  );
}

function isPictograph(code: number | undefined): boolean {
  return code !== undefined && code > 0xa0 && /^\p{Extended_Pictographic}$/u.test(String.fromCodePoint(code));
}

/** Includes digits, which become keycaps. */
function isEmoji(code: number): boolean {
  return /^\p{Emoji}$/u.test(String.fromCodePoint(code));
}

function isSkinTone(code: number): boolean {
  return code >= 0x1f3fb && code <= 0x1f3ff;
}

/** Regional indicators: two of them are a flag. */
function isRegional(code: number | undefined): boolean {
  return code !== undefined && code >= 0x1f1e6 && code <= 0x1f1ff;
}

function unitsOf(code: number): number {
  return code > 0xffff ? 2 : 1;
}
