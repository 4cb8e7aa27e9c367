// https://spec.commonmark.org/0.31.2/#emphasis-and-strong-emphasis, and ~~strikethrough~~ of https://github.github.com/gfm/
import { letterWidth } from '../text/letter-width.js';

/** A run of `*`, `_` or `~` that may open or close emphasis. */
export interface Delimiter {
  readonly sign: string;
  readonly length: number;
  readonly mayOpen: boolean;
  readonly mayClose: boolean;
  /** Signs not used for emphasis: they are text. */
  left: number;
  /** The emphasis that closes before those signs, and that opens after them. */
  readonly ends: Emphasis;
  readonly begins: Emphasis;
}

export interface Emphasis {
  bold: number;
  italic: number;
  strike: number;
}

export function toDelimiter(run: string, before: string, after: string): Delimiter {
  const sign = run[0]!;
  const isLeft = !isSpace(after) && (!isPunctuation(after) || isBorder(before));
  const isRight = !isSpace(before) && (!isPunctuation(before) || isBorder(after));
  const isWord = sign === '_'; // not within_a_word
  return {
    sign,
    length: run.length,
    mayOpen: isLeft && (!isWord || !isRight || isPunctuation(before)),
    mayClose: isRight && (!isWord || !isLeft || isPunctuation(after)),
    left: run.length,
    ends: none(),
    begins: none(),
  };
}

/** Pairs delimiters. Each is looked at a limited number of times, so that the time stays linear. */
export function pairDelimiters(delimiters: readonly Delimiter[]): void {
  const open: Delimiter[] = []; // openers that can still be paired, in order
  /** Below this index no opener matches such a closer. */
  const bottoms = new Map<string, number>();
  for (const closer of delimiters) {
    const key = `${closer.sign}${closer.length % 3}${closer.mayOpen}`;
    while (closer.mayClose && closer.left > 0) {
      const bottom = Math.min(bottoms.get(key) ?? 0, open.length);
      const at = lastPartner(open, closer, bottom);
      if (at === undefined) {
        bottoms.set(key, open.length);
        break;
      }
      // Delimiters between the two can only be paired with each other.
      open.length = at + 1;
      pair(open[at]!, closer);
      if (open[at]!.left === 0) open.length = at;
    }
    if (closer.mayOpen && closer.left > 0) open.push(closer);
  }
}

/** For text that is still streaming: open emphasis reaches to the end. */
export function leaveOpen(delimiters: readonly Delimiter[]): void {
  for (const opener of delimiters) {
    if (!opener.mayOpen || opener.mayClose || opener.left !== opener.length || opener.left > 2) continue;
    if (opener.sign === '~' && opener.left !== 2) continue;
    begin(opener.begins, opener.sign, opener.left);
    opener.left = 0;
  }
}

function lastPartner(open: readonly Delimiter[], closer: Delimiter, bottom: number): number | undefined {
  for (let at = open.length - 1; at >= bottom; at--) if (arePartners(open[at]!, closer)) return at;
  return undefined;
}

function arePartners(opener: Delimiter, closer: Delimiter): boolean {
  if (opener.sign !== closer.sign) return false;
  if (closer.sign === '~') return opener.length === 2 && closer.length === 2;
  if (!opener.mayClose && !closer.mayOpen) return true;
  return (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0);
}

function pair(opener: Delimiter, closer: Delimiter): void {
  const used = opener.left >= 2 && closer.left >= 2 ? 2 : 1;
  begin(opener.begins, opener.sign, used);
  begin(closer.ends, closer.sign, used);
  opener.left -= used;
  closer.left -= used;
}

function begin(emphasis: Emphasis, sign: string, used: number): void {
  if (sign === '~') emphasis.strike++;
  else if (used === 2) emphasis.bold++;
  else emphasis.italic++;
}

function none(): Emphasis {
  return { bold: 0, italic: 0, strike: 0 };
}

function isSpace(letter: string): boolean {
  return letter === '' || /\s/u.test(letter);
}

function isPunctuation(letter: string): boolean {
  return /[\p{P}\p{S}]/u.test(letter);
}

/** In scripts without spaces any two letters have a word boundary between them. */
function isBorder(letter: string): boolean {
  return isSpace(letter) || isPunctuation(letter) || letterWidth(letter.codePointAt(0)!) === 2;
}
