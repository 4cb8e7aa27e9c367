import { isObject, parseJson } from '../../base/json.js';

/**
 * What a text says without its markup: the values of JSON in a row, HTML and XML without tags. Undefined for a text that
 * has none. Records that are read as JSON may leave as CSV, and a page as plain text.
 */
export function plainForm(text: string): string | undefined {
  return jsonValues(text) ?? withoutTags(text);
}

/** What a text says without backslashes: escapes of any language, also doubled ones, and letters that need none. */
export function unescapedForm(text: string): string | undefined {
  if (!text.includes('\\')) return undefined;
  return text.replaceAll(ESCAPED, (_, braced?: string, four?: string, two?: string, letter?: string) => {
    const digits = braced ?? four ?? two;
    if (digits === undefined) return letter ?? '';
    const point = Number.parseInt(digits, 16);
    return point < 0x11_00_00 ? String.fromCodePoint(point) : '';
  });
}

const ESCAPED = /\\+(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})|(.)|$)/gisu;

/** Words before and after the JSON are left out; so is what follows the JSON of a first line. */
function jsonValues(text: string): string | undefined {
  if (!text.includes('{') && !text.includes('[')) return undefined;
  const start = JSON_START.exec(text);
  if (!start) return undefined;
  const whole = parseJson(text.slice(start.index, 1 + Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))));
  const values = whole === undefined ? jsonLines(text) : [whole];
  const texts: string[] = [];
  return values.every((value) => takeTexts(value, texts)) && texts.length > 0 ? texts.join('\n') : undefined;
}

const JSON_START = /^[ \t]*[[{]/mu;

function jsonLines(text: string): readonly unknown[] {
  const values: unknown[] = [];
  let left = OTHER_LINES;
  for (const line of text.split('\n')) {
    const value = JSON_START.test(line) ? parseJson(line) : undefined;
    if (value !== undefined) values.push(value);
    else if (left-- === 0) break;
  }
  return values;
}

const OTHER_LINES = 20; // each that looks like JSON, and is none, costs an exception

/** False where the value has too much. */
function takeTexts(value: unknown, texts: string[]): boolean {
  // A stack of its own, which no depth overflows.
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next === 'string' || typeof next === 'number') texts.push(String(next));
    else if (Array.isArray(next)) for (let at = next.length - 1; at >= 0; at--) stack.push(next[at]);
    else if (isObject(next)) for (const item of Object.values(next).toReversed()) stack.push(item);
    if (stack.length > VALUES || texts.length > VALUES) return false;
  }
  return true;
}

const VALUES = 100_000;

/** Time is linear: no tag has another one within it. */
function withoutTags(text: string): string | undefined {
  if ((!text.includes('<') && !text.includes('&')) || !MARKED.test(text)) return undefined;
  return text.replaceAll(TAG, ' ').replaceAll(ENTITY, (entity, digits?: string, hex?: string) => {
    if (digits === undefined && hex === undefined) return ' ';
    const point = digits === undefined ? Number.parseInt(hex!, 16) : Number.parseInt(digits, 10);
    return point > 0 && point < 0x11_00_00 ? String.fromCodePoint(point) : entity;
  });
}

const MARKED = /<[/!a-z]|&(?:#|[a-z]{2,8};)/iu;
const TAG = /<[/!a-z][^<>]*>/giu;
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|[a-z]{2,8});/giu;
