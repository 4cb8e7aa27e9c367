/**
 * Calls `see` for every word of a text, in lower case, accents folded: `createIssue`, `create-issue` and `Create issue` are
 * the same words. A word that is made of several, such as `GitHub` or `oauth2`, comes whole and with what it is made of.
 */
export function eachWord(text: string, see: (word: string, parts: readonly string[]) => void): void {
  const written = UNUSUAL.test(text) ? fold(text) : text;
  const lowered = written.toLowerCase();
  // A few capitals become two characters; then places no longer agree, and the capitals are given up.
  const shown = lowered.length === written.length ? written : lowered;
  let start = -1;
  let isSimple = true;
  let before = GAP;
  for (let at = 0; at <= shown.length; at++) {
    const kind = at === shown.length ? GAP : kindAt(shown, lowered, at);
    if (kind === before) continue;
    if (kind === GAP || kind === IDEOGRAPH || before === IDEOGRAPH) {
      if (start >= 0) {
        if (before === IDEOGRAPH) seePairs(lowered.slice(start, at), see);
        else see(lowered.slice(start, Math.min(at, start + WORD_LIMIT)), isSimple ? NONE : split(shown, start, at));
      }
      start = kind === GAP ? -1 : at;
      isSimple = true;
    } else if (start < 0) {
      start = at;
      isSimple = true;
    } else if (!(before === UPPER && kind === LOWER && at === start + 1)) {
      isSimple = false;
    }
    before = kind;
  }
}

/** What words are compared by: the plural of a word is the same as the word. Not a word itself: `caches` gives `cach`. */
export function toStem(word: string): string {
  let end = word.length;
  if (end < 3) return word;
  if (word.charCodeAt(end - 1) === SMALL_S && !KEEPS_S.test(word)) end--;
  if (end < 4) return word.slice(0, end);
  const rest = word.slice(0, end);
  if (rest.charCodeAt(end - 1) !== SMALL_E) return rest;
  if (rest.charCodeAt(end - 2) === SMALL_I) return `${rest.slice(0, -2)}y`;
  return LOSES_E.test(rest) ? rest.slice(0, -1) : rest;
}

/** Words that nearly every text has, so that they say nothing about any. */
export function isFiller(word: string): boolean {
  return FILLERS.has(word);
}

export const WORD_LIMIT = 40; // longer ones are keys and encoded data, which nobody looks for
const PART_LIMIT = 12; // of one word
const FOLDED_LIMIT = 4_096; // one character can stand for eighteen

const GAP = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
/** Of a script without blanks between its words: any two neighbours may be one. */
const IDEOGRAPH = 4;

const NONE: readonly string[] = [];
const UNUSUAL = /[\u0080-\uffff]/;
const ACCENTS = /[\u0300-\u036f]+/g;
const SMALL_E = 0x65;
const SMALL_I = 0x69;
const SMALL_S = 0x73;
const KEEPS_S = /[siu]s$/;
// Taken off from `cache` as well as from `caches`, so that nobody has to know whose plural `branches` and `caches` are.
const LOSES_E = /(?:[cs]h|[xz]|[su]s)e$/;

const FILLERS = new Set(
  (
    'a an and any are as at be been but by can could do does for from had has have how i if in into is it its ' +
    'let may mcp me my no not of on or our please s should so some such t than that the their them then there these ' +
    'they this those to too via want was we were what when where which who will with would you your'
  ).split(' '),
);

function fold(text: string): string {
  const parts = text.normalize('NFKD').replaceAll(ACCENTS, '').slice(0, FOLDED_LIMIT);
  return parts.normalize('NFC'); // Korean syllables come back together
}

function kindAt(shown: string, lowered: string, at: number): number {
  const unit = shown.charCodeAt(at);
  if (unit < 0x80) return ASCII[unit]!;
  if (isSymbol(unit)) return GAP;
  if (isIdeograph(unit)) return IDEOGRAPH;
  return unit === lowered.charCodeAt(at) ? LOWER : UPPER;
}

const ASCII = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  if (/[a-z]/.test(character)) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  return /[0-9]/.test(character) ? DIGIT : GAP;
});

/** By blocks: an exact answer for each character takes a class of thousands, and is asked for every character of a text. */
function isSymbol(unit: number): boolean {
  return (
    unit < 0xc0 ||
    unit === 0xd7 ||
    unit === 0xf7 ||
    (unit >= 0x2000 && unit < 0x2c00) ||
    (unit >= 0x2e00 && unit < 0x2e80) ||
    (unit >= 0x3000 && unit < 0x3040 && unit !== 0x3005) ||
    (unit >= 0xe000 && unit < 0xf900) ||
    (unit >= 0xfe00 && unit < 0xfe70) ||
    unit >= 0xfff0
  );
}

function isIdeograph(unit: number): boolean {
  return (
    (unit >= 0x0e00 && unit < 0x0f00) || // Thai and Lao
    (unit >= 0x2e80 && unit < 0xa000) || // Chinese and Japanese
    (unit >= 0xac00 && unit < 0xd7b0) || // Korean
    (unit >= 0xf900 && unit < 0xfb00)
  );
}

function seePairs(run: string, see: (word: string, parts: readonly string[]) => void): void {
  if (run.length === 1) see(run, NONE);
  for (let at = 0; at + 1 < run.length; at++) see(run.slice(at, at + 2), NONE);
}

/** Where a word changes from small to capital, or between letters and digits. Single characters say too little. */
function split(shown: string, start: number, end: number): readonly string[] {
  const run = shown.slice(start, Math.min(end, start + WORD_LIMIT));
  const parts = run.match(PARTS) ?? [];
  return parts
    .slice(0, PART_LIMIT)
    .filter((part) => part.length > 1 && part.length < run.length)
    .map((part) => part.toLowerCase());
}

// `HTTPServer` is HTTP and Server, `PRs` is one.
const PARTS = /\p{Lu}+s(?![\p{Ll}])|\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}\p{Nd}]+|\p{Nd}+|\p{Lu}+/gu;
