/** The runs of letters and digits in a text, without accents. */
export function runsOf(text: string): readonly string[] {
  return (UNUSUAL.test(text) ? fold(text) : text).match(RUN) ?? [];
}

/** A lower-case word, followed by its parts, such as `git` and `hub` of `GitHub`. */
export type Word = readonly [word: string, ...parts: string[]];

/** One word; in a script without spaces, several. */
export function toWords(run: string): readonly Word[] {
  if (PLAIN.test(run)) return [[run]];
  if (IDEOGRAPHS.test(run)) {
    if (run.length === 1) return [[run]];
    // Any two neighbours may be a word.
    return Array.from({ length: run.length - 1 }, (_, at) => [run.slice(at, at + 2)]);
  }
  const written = run.slice(0, WORD_LIMIT);
  // Single characters mean too little.
  const parts = written.match(PARTS)!.filter(({ length }) => length > 1 && length < written.length);
  return [[written.toLowerCase(), ...parts.slice(0, PART_LIMIT).map((part) => part.toLowerCase())]];
}

/** The form that words are compared by: singular and plural are equal. Not always a word: `caches` gives `cach`. */
export function toStem(word: string): string {
  const one = word.length > 2 && word.endsWith('s') && !KEEPS_S.test(word) ? word.slice(0, -1) : word;
  if (one.length < 4 || !one.endsWith('e')) return one;
  if (one.endsWith('ie')) return `${one.slice(0, -2)}y`;
  return LOSES_E.test(one) ? one.slice(0, -1) : one;
}

/** The stem of all words joined, as a tool's whole name may be; undefined when too long for a query. */
export function toJoinedStem(runs: readonly string[]): string | undefined {
  const joined = runs.join('').toLowerCase();
  return joined.length > 0 && joined.length <= WORD_LIMIT ? toStem(joined) : undefined;
}

/** Whether nearly every text has this word, so that it distinguishes none. */
export function isFiller(word: string): boolean {
  return FILLERS.has(word);
}

const WORD_LIMIT = 40; // longer ones are keys and encoded data, which are not searched for
const PART_LIMIT = 12; // parts of one word
const FOLDED_LIMIT = 4_096; // one character may expand to eighteen

// By Unicode blocks: exact classes have thousands of ranges. Without spaces: Thai, Lao, Chinese, Japanese, Korean.
const IDEOGRAPH = '\u0e00-\u0eff\u2e80-\u2fff\u3005\u3040-\u9fff\uac00-\ud7af\uf900-\ufaff';
const LETTER =
  'a-zA-Z0-9\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u0dff\u0f00-\u1fff\u2c00-\u2dff\ua000-\uabff\ud7b0-\udfff\ufb00-\ufdff\ufe70-\uffef';
const RUN = new RegExp(`[${LETTER}]+|[${IDEOGRAPH}]+`, 'g');
const IDEOGRAPHS = new RegExp(`^[${IDEOGRAPH}]`);
const PLAIN = /^[a-z]{1,40}$/; // most words
const UNUSUAL = /[\u0080-\uffff]/;
const ACCENTS = /[\u0300-\u036f]+/g;
// Splits where case changes, and between letters and digits. `HTTPServer` is HTTP and Server, `PRs` is one part.
const PARTS = /\p{Lu}+s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}\p{Nd}]+|\p{Nd}+|\p{Lu}+/gu;
const KEEPS_S = /[siu]s$/;
// Removed from `cache` and `caches` alike, because `branches` and `caches` do not show which singular has an e.
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
  return parts.normalize('NFC'); // composes Korean syllables again
}
