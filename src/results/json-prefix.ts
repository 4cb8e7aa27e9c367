import { parseJson } from '../base/json.js';

/**
 * Parses the beginning of a JSON text, with open containers closed after the last complete value; undefined when it is
 * not JSON. For a sample of what takes too long, or too much memory, to parse whole.
 */
export function parsePrefix(prefix: string): unknown {
  let closers = ''; // closing brackets of the open containers, innermost first
  let cut = 0; // end of the last complete value
  let closing = '';
  const mark = (at: number): void => {
    cut = at;
    closing = closers;
  };
  for (let at = 0; at < prefix.length; at++) {
    const unit = prefix.charCodeAt(at);
    if (unit === QUOTE) {
      at = endOfString(prefix, at + 1);
      if (at === -1) break;
    } else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
      if (closers.length >= DEPTH) break;
      closers = (unit === OPEN_BRACE ? '}' : ']') + closers;
      mark(at + 1);
    } else if (unit === COMMA) {
      mark(at);
    } else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) {
      closers = closers.slice(1);
      mark(at + 1);
    }
  }
  return cut === 0 ? undefined : parseJson(prefix.slice(0, cut) + closing);
}

/** Whether the text can be an object or array, by its first character. */
export function looksLikeJson(text: string): boolean {
  const first = /\S/u.exec(text.slice(0, 64))?.[0];
  return first === '{' || first === '[';
}

/** Index of the closing quote; -1 without one. `from`: the index after the opening quote. */
export function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (before > from && text.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((end - before) % 2 === 0) return end;
  }
  return -1;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const DEPTH = 200;
