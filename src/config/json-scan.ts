/** What JSON.parse does not tell: how deep a text goes, and which keys stand twice in one object. */
export interface JsonScan {
  readonly depth: number;
  readonly duplicates: readonly { readonly key: string; readonly offset: number }[];
}

/** More would only fill the screen: the first ones are enough to mend a file by. */
const DUPLICATE_LIMIT = 20;

/** One linear pass over JSON with or without comments. A broken text gives whatever was seen before the break. */
export function scanJson(text: string): JsonScan {
  const duplicates: { key: string; offset: number }[] = [];
  /** One entry per open bracket: the keys seen so far in an object, nothing for an array. */
  const open: (Set<string> | undefined)[] = [];
  let depth = 0;
  let atKey = false;
  let index = 0;
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
    } else if (code === SLASH) {
      index = endOfComment(text, index);
    } else {
      if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
        open.push(code === OPEN_OBJECT ? new Set() : undefined);
        atKey = code === OPEN_OBJECT;
        depth = Math.max(depth, open.length);
      } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
        open.pop();
        atKey = false;
      } else if (code === COMMA) {
        atKey = open.at(-1) !== undefined;
      }
      index++;
    }
  }
  return { depth, duplicates };
}

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

/** Offset of the closing quote, or of the line end that ends a string which was never closed. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE || code === LINE_FEED || code === CARRIAGE_RETURN) return at;
  }
  return text.length;
}

function endOfComment(text: string, start: number): number {
  const next = text[start + 1];
  if (next === '/') {
    let at = start + 2;
    while (at < text.length && text.charCodeAt(at) !== LINE_FEED && text.charCodeAt(at) !== CARRIAGE_RETURN) at++;
    return at;
  }
  if (next !== '*') return start + 1;
  const end = text.indexOf('*/', start + 2);
  return end === -1 ? text.length : end + 2;
}

/** A key as JSON.parse would give it: `"\u0061"` and `"a"` are the same key. */
function unescape(written: string): string {
  try {
    return String(JSON.parse(`"${written}"`));
  } catch {
    return written; // the parser that reads the file will name this mistake
  }
}
