import { areTokensWithin, countTokens, lengthOfTokens } from './token-count.js';

/** How much text of a result a model is shown. */
export interface TextLimit {
  readonly kind: 'tokens' | 'characters';
  readonly most: number;
}

/** A tool may ask for more text than `tokenLimit` allows, up to `CEILING`, or for less. */
export function textLimit(tokenLimit: number, maxResultChars: number | undefined): TextLimit {
  if (maxResultChars === undefined || !(maxResultChars > 0)) return { kind: 'tokens', most: tokenLimit };
  return { kind: 'characters', most: Math.max(LOWEST, Math.min(maxResultChars, CEILING)) };
}

/** Whether the texts fit together. */
export function fit(texts: readonly string[], { kind, most }: TextLimit): boolean {
  if (kind === 'tokens') return areTokensWithin(most, texts);
  return texts.reduce((sum, { length }) => sum + length, 0) <= most;
}

/** The limit that is left after this text; negative when it is exceeded. Stops counting early. */
export function leftAfter(text: string, { kind, most }: TextLimit): TextLimit {
  if (kind === 'characters') return { kind, most: most - text.length };
  return { kind, most: text.length > most * LONGEST_TOKEN ? -1 : most - countTokens(text, most) };
}

/** The longest beginning that fits; ends at a newline if one is near. */
export function beginningOf(text: string, { kind, most }: TextLimit): string {
  const length = kind === 'tokens' ? lengthOfTokens(text, most) : Math.min(text.length, most);
  return length === text.length ? text : cutToLimit(text, length);
}

/** At most `length` characters: up to the last newline in the second half, else without splitting a surrogate pair. */
export function cutToLimit(text: string, length: number): string {
  if (text.length <= length) return text;
  const lineEnd = text.lastIndexOf('\n', length);
  if (lineEnd > length / 2) return text.slice(0, lineEnd);
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

const CEILING = 500_000;
const LOWEST = 2_048; // as much as a preview has
const LONGEST_TOKEN = 16;
