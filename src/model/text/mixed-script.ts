/**
 * Whether a name imitates Latin with letters of other scripts, such as a Cyrillic `а` in `read_file`. People who see
 * the name should be warned; the model gets ASCII anyway. Chinese, Japanese and Korean are written beside Latin every
 * day, so they do not count.
 */
export function hasMixedScript(name: string): boolean {
  if (!BEYOND_ASCII.test(name)) return false;
  if (STYLED_LETTER.test(name)) return true;
  if (LATIN.test(name)) return FOREIGN_LETTER.test(name);
  return LOOKALIKES.filter((script) => script.test(name)).length > 1;
}

const BEYOND_ASCII = /[^ -~]/;
const LATIN = /\p{Script=Latin}/u;
/** Full-width and mathematical letters: Latin to a reader, different characters to a string comparison. */
const STYLED_LETTER = /[\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7cb}]/u;
const FOREIGN_LETTER =
  /(?![\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Common}\p{Script=Inherited}])\p{L}/u;
/** Alphabets with letters that look alike. */
const LOOKALIKES: readonly RegExp[] = [
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
];
