import { countTokens, lengthOfTokens } from './token-count.js';

/** How much text of one result a model is shown. */
export interface TextLimit {
  readonly kind: 'tokens' | 'characters';
  readonly most: number;
}

/** A tool may ask for more characters than the tokens would be, within reason, or for fewer. */
export function textLimit(tokenLimit: number, maxResultChars: number | undefined): TextLimit {
  if (maxResultChars === undefined || !(maxResultChars > 0)) return { kind: 'tokens', most: tokenLimit };
  return { kind: 'characters', most: Math.max(LOWEST, Math.min(maxResultChars, CEILING)) };
}

/** What is left of the limit after this text; below zero when it was too much. Counts no further than it must. */
export function leftAfter(text: string, { kind, most }: TextLimit): TextLimit {
  if (kind === 'characters') return { kind, most: most - text.length };
  return { kind, most: text.length > most * LONGEST_TOKEN ? -1 : most - countTokens(text, most) };
}

/** The longest beginning that fits, cut behind a line end where one is near. */
export function beginningOf(text: string, { kind, most }: TextLimit): string {
  const length = kind === 'tokens' ? lengthOfTokens(text, most) : Math.min(text.length, most);
  return length === text.length ? text : cutToLimit(text, length);
}

/** At most so many characters: up to the last line end in the second half of them, else as they come, and no half of a pair. */
export function cutToLimit(text: string, length: number): string {
  if (text.length <= length) return text;
  const lineEnd = text.lastIndexOf('\n', length);
  if (lineEnd > length / 2) return text.slice(0, lineEnd);
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

const CEILING = 500_000;
const LOWEST = 2_048; // a preview has as much
const LONGEST_TOKEN = 16;
