import { parseJson } from '../base/json.js';

/**
 * The value that the beginning of a JSON text makes when what is open is closed after the last thing that is whole; undefined when
 * it is no JSON. For looking at the first of what would take too long, or too much memory, to be parsed.
 */
export function parsePrefix(prefix: string): unknown {
  let closers = ''; // of what is open, innermost first
  let cut = 0; // up to here it can be closed
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

/** Whether a text could be an object or a list, by its first character. */
export function looksLikeJson(text: string): boolean {
  const first = /\S/u.exec(text.slice(0, 64))?.[0];
  return first === '{' || first === '[';
}

/** Where a string ends, by the quote that nothing escapes; -1 where none does. `from`: behind the quote that begins it. */
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
