import { parseJson } from '../../base/json.js';

/** What JSON.parse does not report: the depth of a text, duplicate keys, and what is not plain JSON. */
export interface JsonScan {
  readonly depth: number;
  readonly duplicates: readonly { readonly key: string; readonly offset: number }[];
  /** The ranges of comments and trailing commas, which plain JSON does not have. */
  readonly extras: readonly (readonly [from: number, to: number])[];
}

/** Enough to repair a file by; more would only fill the screen. */
const DUPLICATE_LIMIT = 20;

/** Scans JSON, with or without comments, in one linear pass. Of a broken text, returns what comes before the break. */
export function scanJson(text: string): JsonScan {
  const duplicates: { key: string; offset: number }[] = [];
  /** One entry per open bracket: the keys seen so far in an object, undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  const extras: [number, number][] = [];
  let depth = 0;
  let atKey = false;
  let index = 0;
  let last = 0; // the last character outside blanks and comments
  let comma = -1; // the offset of the last comma, if it follows a value
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      const end = endOfString(text, index);
      if (atKey) {
        const keys = open.at(-1);
        const written = text.slice(index + 1, end);
        const key = written.includes('\\') ? unescape(written) : written;
        if (keys?.has(key) === true && duplicates.length < DUPLICATE_LIMIT) duplicates.push({ key, offset: index });
        keys?.add(key);
        atKey = false;
      }
      index = end + 1;
      last = QUOTE;
    } else if (code === SLASH) {
      const end = endOfComment(text, index);
      if (end !== undefined) extras.push([index, end]);
      // An unclosed comment hides all that follows; a lone slash is a mistake that the parser will report.
      index = end ?? (text[index + 1] === '*' ? text.length : index + 1);
    } else if (code <= BLANK) {
      index++;
    } else {
      if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
        open.push(code === OPEN_OBJECT ? new Set() : undefined);
        atKey = code === OPEN_OBJECT;
        depth = Math.max(depth, open.length);
      } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
        open.pop();
        atKey = false;
        if (last === COMMA && comma !== -1) extras.push([comma, comma + 1]);
      } else if (code === COMMA) {
        atKey = open.at(-1) !== undefined;
        comma = last === COMMA || last === OPEN_OBJECT || last === OPEN_ARRAY ? -1 : index;
      }
      last = code;
      index++;
    }
  }
  return { depth, duplicates, extras };
}

/** The text without comments and trailing commas, for JSON.parse. */
export function toPlainJson(text: string, extras: JsonScan['extras']): string {
  let plain = '';
  let rest = 0;
  for (const [from, to] of extras.toSorted(([a], [b]) => a - b)) {
    plain += `${text.slice(rest, from)} `;
    rest = to;
  }
  return plain + text.slice(rest);
}

const BLANK = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SLASH = 0x2f;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The offset of the closing quote, or of the line end that ends an unclosed string. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE || code === LINE_FEED || code === CARRIAGE_RETURN) return at;
  }
  return text.length;
}

/** The offset after the comment that starts here; undefined when none does, or it is not closed. */
function endOfComment(text: string, start: number): number | undefined {
  const next = text[start + 1];
  if (next === '/') {
    let at = start + 2;
    while (at < text.length && text.charCodeAt(at) !== LINE_FEED && text.charCodeAt(at) !== CARRIAGE_RETURN) at++;
    return at;
  }
  const end = next === '*' ? text.indexOf('*/', start + 2) : -1;
  return end === -1 ? undefined : end + 2;
}

/** The key as JSON.parse would return it: `"\u0061"` and `"a"` are the same key. */
function unescape(written: string): string {
  // A malformed key is reported by the parser that reads the file.
  const key = parseJson(`"${written}"`);
  return typeof key === 'string' ? key : written;
}
