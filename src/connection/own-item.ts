import { isObject } from '../base/json.js';
import { roughSize } from '../base/rough-size.js';
import { redactValue } from '../model/redact-value.js';
import type { ListKind } from './known-list.js';
import type { Redact } from './server-text.js';

type Item = { readonly [field: string]: unknown };

/**
 * The fields that a definition may have exactly as the server wrote them, first what the item is called by. Schemas are most of what a list
 * says, and are kept once. Their order is part of what is on disk.
 */
const SHARED: Readonly<Record<ListKind, readonly string[]>> = {
  tools: ['name', 'title', 'description', 'inputSchema', 'outputSchema'],
  resources: ['uri', 'name', 'title', 'description', 'mimeType', 'size'],
  templates: ['uriTemplate', 'name', 'title', 'description', 'mimeType'],
  prompts: ['name', 'title', 'description'],
};

/**
 * What has to be kept beside the definition of an item for the server's own item to be had again: a number that says which fields are as in
 * the definition, and the others as JSON. Empty for an item that is too large.
 */
export function toOwnText(kind: ListKind, item: Item, definition: object, redact: Redact): string {
  const shared = SHARED[kind];
  const others: [string, unknown][] = [];
  let bits = 0;
  for (const key of Object.keys(item)) {
    const place = shared.indexOf(key);
    if (place !== -1 && item[key] === (definition as Item)[key]) bits |= 1 << place;
    else others.push([key, item[key]]);
  }
  if (others.length === 0) return String(bits);
  const rest: object = Object.fromEntries(others);
  if (roughSize(rest, ITEM_LIMIT) > ITEM_LIMIT) return '';
  return `${bits}${JSON.stringify(redactValue(rest, redact))}`;
}

/** The server's own item again; undefined where the text says nothing of it. Never throws: the text may come from a file. */
export function fromOwnText(kind: ListKind, text: string, definition: Item): Item | undefined {
  const shared = SHARED[kind];
  const end = text.indexOf('{');
  const bits = Number(end === -1 ? text : text.slice(0, end));
  // What an item is called by is never another thing.
  if (!Number.isInteger(bits) || (bits & 1) === 0) return undefined;
  const rest = end === -1 ? {} : parse(text.slice(end));
  if (!rest || Object.hasOwn(rest, shared[0]!)) return undefined;
  const same = shared.filter((_, place) => (bits & (1 << place)) !== 0).map((key) => [key, definition[key]] as const);
  return { ...Object.fromEntries(same), ...rest };
}

export function keyOf(kind: ListKind): string {
  return SHARED[kind][0]!;
}

function parse(text: string): Item | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // the file holds something else by now
  }
}

const ITEM_LIMIT = 256_000; // characters beside what the definition has: as much as a schema may
