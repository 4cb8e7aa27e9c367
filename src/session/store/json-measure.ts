/** How deep a JSON text is nested, and how many values it has at most. */
export interface JsonMeasure {
  readonly depth: number;
  readonly values: number;
}

/** Measures a JSON text before it is parsed: a few bytes of it can become a hundred in memory. */
export function measureJson(bytes: Buffer): JsonMeasure {
  let open = 0;
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]!) {
      case QUOTE:
        at = endOfString(bytes, at + 1);
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        values++;
        open++;
        if (open > depth) depth = open;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        open--;
        break;
      case COMMA:
        values++;
        break;
      default:
    }
  }
  return { depth, values };
}

/** The index of the quote that ends a string; the length where none does. */
function endOfString(bytes: Buffer, from: number): number {
  for (let start = from; ;) {
    const end = bytes.indexOf(QUOTE, start);
    if (end === -1) return bytes.length;
    let escapes = 0;
    while (bytes[end - 1 - escapes] === BACKSLASH && end - 1 - escapes >= from) escapes++;
    if (escapes % 2 === 0) return end;
    start = end + 1;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
