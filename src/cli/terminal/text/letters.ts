import { LetterScanner } from './letter-width.js';

/** The index where the letter before `at` begins. A letter may be several characters: an accent, a flag. */
export function letterBefore(text: string, at: number): number {
  if (at <= 0) return 0;
  if (text.charCodeAt(at - 1) < FIRST_MARK && !isLow(text, at - 1)) return at - 1;
  const from = Math.max(at - WINDOW, 0);
  const letters = new LetterScanner(text.slice(isLow(text, from) ? from + 1 : from, at));
  let last = 0;
  while (letters.next()) last = letters.end - letters.start;
  return at - Math.max(last, 1);
}

/** The index where the letter at `at` ends. */
export function letterAfter(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const letters = new LetterScanner(text.slice(at, at + WINDOW));
  letters.next();
  return at + letters.end;
}

/** The index where the word before `at` begins. */
export function wordBefore(text: string, at: number): number {
  const before = text.slice(Math.max(at - WORD_LIMIT, 0), at);
  return at - /[\p{L}\p{M}\p{N}_]*[^\p{L}\p{M}\p{N}_]*$/u.exec(before)![0].length;
}

/** The index where the word after `at` ends. */
export function wordAfter(text: string, at: number): number {
  return at + /^[^\p{L}\p{M}\p{N}_]*[\p{L}\p{M}\p{N}_]*/u.exec(text.slice(at, at + WORD_LIMIT))![0].length;
}

/** Like `wordBefore`, but words are separated by blanks only, as for Ctrl-W in shells. */
export function blankBefore(text: string, at: number): number {
  return at - /\S*\s*$/u.exec(text.slice(Math.max(at - WORD_LIMIT, 0), at))![0].length;
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000;
}

const FIRST_MARK = 0x300;
const WINDOW = 64; // characters; the longest joined emoji has 15
const WORD_LIMIT = 1000; // characters, so that a megabyte without a blank is not searched at every key
