/** What stands between blanks and signs in a text, without accents. */
export function runsOf(text: string): readonly string[] {
  return (UNUSUAL.test(text) ? fold(text) : text).match(RUN) ?? [];
}

/** In lower case: a word, and after it what it is made of, such as `git` and `hub` of `GitHub`. */
export type Word = readonly [word: string, ...parts: string[]];

/** One word, or of a script without blanks several. */
export function toWords(run: string): readonly Word[] {
  if (PLAIN.test(run)) return [[run]];
  if (IDEOGRAPHS.test(run)) {
    if (run.length === 1) return [[run]];
    // Any two neighbours may be a word.
    return Array.from({ length: run.length - 1 }, (_, at) => [run.slice(at, at + 2)]);
  }
  const written = run.slice(0, WORD_LIMIT);
  // Single characters say too little.
  const parts = written.match(PARTS)!.filter(({ length }) => length > 1 && length < written.length);
  return [[written.toLowerCase(), ...parts.slice(0, PART_LIMIT).map((part) => part.toLowerCase())]];
}

/** What words are compared by: the plural of a word is the same as the word. Not a word itself: `caches` gives `cach`. */
export function toStem(word: string): string {
  const one = word.length > 2 && word.endsWith('s') && !KEEPS_S.test(word) ? word.slice(0, -1) : word;
  if (one.length < 4 || !one.endsWith('e')) return one;
  if (one.endsWith('ie')) return `${one.slice(0, -2)}y`;
  return LOSES_E.test(one) ? one.slice(0, -1) : one;
}

/** The stem of all words in one, as the whole name of a tool may be; undefined where that is too long to be asked for. */
export function toJoinedStem(runs: readonly string[]): string | undefined {
  const joined = runs.join('').toLowerCase();
  return joined.length > 0 && joined.length <= WORD_LIMIT ? toStem(joined) : undefined;
}

/** Words that nearly every text has, so that they say nothing about any. */
export function isFiller(word: string): boolean {
  return FILLERS.has(word);
}

const WORD_LIMIT = 40; // longer ones are keys and encoded data, which nobody looks for
const PART_LIMIT = 12; // of one word
const FOLDED_LIMIT = 4_096; // one character can stand for eighteen

// By blocks, as an exact answer for each character takes a class of thousands. Of the scripts without blanks: Thai and Lao, Chinese, Japanese, Korean.
const IDEOGRAPH = '\u0e00-\u0eff\u2e80-\u2fff\u3005\u3040-\u9fff\uac00-\ud7af\uf900-\ufaff';
const LETTER =
  'a-zA-Z0-9\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u0dff\u0f00-\u1fff\u2c00-\u2dff\ua000-\uabff\ud7b0-\udfff\ufb00-\ufdff\ufe70-\uffef';
const RUN = new RegExp(`[${LETTER}]+|[${IDEOGRAPH}]+`, 'g');
const IDEOGRAPHS = new RegExp(`^[${IDEOGRAPH}]`);
const PLAIN = /^[a-z]{1,40}$/; // most words
const UNUSUAL = /[\u0080-\uffff]/;
const ACCENTS = /[\u0300-\u036f]+/g;
// Where a word changes from small to capital, or between letters and digits. `HTTPServer` is HTTP and Server, `PRs` is one.
const PARTS = /\p{Lu}+s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}\p{Nd}]+|\p{Nd}+|\p{Lu}+/gu;
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
