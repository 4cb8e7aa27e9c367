/**
 * About how many tokens a model pays for a text, at most one a character; counting ends as soon as there are more than `limit`. Words
 * by nine letters, numbers by three digits, an ideograph each. Against o200k_base it says up to 27 % too much of prose, code, logs
 * and JSON, of which characters by four say up to 60 % too little, and up to 63 % too much of Chinese; other tokenizers count more.
 */
export function countTokens(text: string, limit = Infinity): number {
  return scan(text, limit).tokens;
}

/** The longest beginning that has at most so many tokens, as a length. Never inside a pair of surrogates. */
export function lengthOfTokens(text: string, limit: number): number {
  if (text.length <= limit) return text.length;
  const { tokens, end } = scan(text, limit);
  if (tokens <= limit) return text.length;
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

const LONGEST_TOKEN = 16; // characters: what a run of blanks is taken for

interface Scanned {
  readonly tokens: number;
  /** Where it stopped: before the run that was too much. */
  readonly end: number;
}

function scan(text: string, limit: number): Scanned {
  const { length } = text;
  let tokens = 0;
  let at = 0;
  while (at < length) {
    const start = at;
    const kind = kindOf(text.charCodeAt(at++));
    if (kind === OTHER) tokens++;
    else {
      while (at < length && kindOf(text.charCodeAt(at)) === kind) at++;
      // The first letter of a word may be a capital.
      if (kind === UPPER && at - start === 1) while (at < length && kindOf(text.charCodeAt(at)) === LOWER) at++;
      tokens += cost(kind, at - start);
    }
    if (tokens > limit) return { tokens, end: start + fitting(kind, limit - (tokens - cost(kind, at - start))) };
  }
  return { tokens, end: length };
}

const LOWER = 0;
const UPPER = 1;
const DIGIT = 2;
const BLANK = 3;
const LINE_END = 4;
const SIGN = 5;
const ACCENTED = 6;
const DENSE = 7;
const OTHER = 8;

/** Characters of a run that make one token. */
const RUN = [9, 3, 3, LONGEST_TOKEN, 4, 2, 5, 2, 1];

function cost(kind: number, length: number): number {
  // The blank before a word belongs to the word's token.
  return kind === BLANK && length === 1 ? 0 : Math.ceil(length / RUN[kind]!);
}

/** How much of a run that is too long can stay. */
function fitting(kind: number, tokens: number): number {
  return Math.max(0, Math.floor(tokens) * RUN[kind]!);
}

function kindOf(unit: number): number {
  if (unit < 128) return ASCII[unit]!;
  // Latin, Greek and Cyrillic letters share tokens; those of other alphabets less, and ideographs hardly.
  return unit < 0x530 ? ACCENTED : unit < 0x2e80 ? DENSE : OTHER;
}

const ASCII = Uint8Array.from({ length: 128 }, (_, unit) => {
  if (unit >= 97 && unit <= 122) return LOWER;
  if (unit >= 65 && unit <= 90) return UPPER;
  if (unit >= 48 && unit <= 57) return DIGIT;
  if (unit === 32 || unit === 9) return BLANK;
  return unit === 10 || unit === 13 ? LINE_END : SIGN;
});

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
