import { isObject } from '../../../src/base/json.js';

/** Prints JSON for a reader: short values on one line, long texts line by line. Nothing is left out or reordered. */
export function print(value: unknown, indent = ''): readonly string[] {
  if (typeof value === 'string' && value.includes('\n')) {
    return value.split('\n').map((line) => `${indent}| ${line}`.trimEnd());
  }
  if (isShort(value)) return [`${indent}${JSON.stringify(value)}`];
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => printItem(item, indent));
  }
  return Object.entries(value as object).flatMap(([key, item]: [string, unknown]) =>
    isShort(item) ? [`${indent}${key}: ${JSON.stringify(item)}`] : [`${indent}${key}:`, ...print(item, `${indent}  `)],
  );
}

/** Prints a value as an item of a list. */
export function printItem(value: unknown, indent: string): readonly string[] {
  const [first = '', ...rest] = print(value, `${indent}  `);
  return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
}

function isShort(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\n');
  if (!isObject(value) && !Array.isArray(value)) return true;
  const text = JSON.stringify(value);
  return text.length <= LINE && !text.includes(String.raw`\n`);
}

const LINE = 110;
