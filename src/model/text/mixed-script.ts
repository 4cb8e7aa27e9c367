/**
 * Whether a name poses as Latin with letters from elsewhere, such as a Cyrillic `а` in `read_file`. People who see the
 * name should be told; what the model gets is ASCII anyway. Chinese, Japanese and Korean are written beside Latin
 * every day, so they do not count.
 */
export function hasMixedScript(name: string): boolean {
  if (!BEYOND_ASCII.test(name)) return false;
  if (STYLED_LETTER.test(name)) return true;
  if (LATIN.test(name)) return FOREIGN_LETTER.test(name);
  return LOOKALIKES.filter((script) => script.test(name)).length > 1;
}

const BEYOND_ASCII = /[^ -~]/;
const LATIN = /\p{Script=Latin}/u;
/** Full-width and mathematical letters: one alphabet to Unicode, another to a string comparison. */
const STYLED_LETTER = /[\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7cb}]/u;
const FOREIGN_LETTER =
  /(?![\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Common}\p{Script=Inherited}])\p{L}/u;
/** The alphabets whose letters pass for one another. */
const LOOKALIKES: readonly RegExp[] = [
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
];
