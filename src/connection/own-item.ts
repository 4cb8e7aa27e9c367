import { isObject } from '../base/json.js';
import { redactValue } from '../model/redaction/redact-value.js';
import type { ListKind } from './catalog/cached-list.js';
import type { Redact } from './catalog/server-text.js';

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
  let bits = 0;
  // Written down field by field: an object of what is left would take V8 longer than all the rest.
  let rest = '';
  for (const key of Object.keys(item)) {
    const place = shared.indexOf(key);
    if (place !== -1 && item[key] === (definition as Item)[key]) {
      bits |= 1 << place;
      continue;
    }
    const value = toJson(item[key]);
    if (value !== undefined) rest += `${rest === '' ? '{' : ','}${JSON.stringify(key)}:${value}`;
    if (rest.length > ITEM_LIMIT) return '';
  }
  return rest === '' ? String(bits) : `${bits}${redactJson(`${rest}}`, redact)}`;
}

/** Undefined for what is no JSON: a server inside this program hands over objects, whatever is in them. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined; // a number that is too long, an object in itself: no other client would get it either
  }
}

/** Texts without an escape stand in JSON as they are: what a look at all of it does not change has nothing to take out. */
function redactJson(text: string, redact: Redact): string {
  const isClean = !text.includes('\\') && redact(text) === text;
  return isClean ? text : JSON.stringify(redactValue(JSON.parse(text), redact));
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
