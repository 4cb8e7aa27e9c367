import { isObject } from '../base/json.js';
import { redactValue } from '../model/redaction/redact-value.js';
import type { ListKind } from './catalog/cached-list.js';
import type { Redact } from './catalog/server-text.js';

type Item = { readonly [field: string]: unknown };

/**
 * Fields that a definition may have exactly as the server wrote them, the item's key first. They are stored once, with
 * the definition: schemas are most of a list's bytes. Their order is part of the file format.
 */
const SHARED: Readonly<Record<ListKind, readonly string[]>> = {
  tools: ['name', 'title', 'description', 'inputSchema', 'outputSchema'],
  resources: ['uri', 'name', 'title', 'description', 'mimeType', 'size'],
  templates: ['uriTemplate', 'name', 'title', 'description', 'mimeType'],
  prompts: ['name', 'title', 'description'],
  skills: ['uri', 'name', 'description'],
};

/**
 * What must be stored beside the definition to restore the server's own item: a bit for each field that is the same in
 * both, and the other fields as JSON. Empty for an item that is too large.
 */
export function toOwnText(kind: ListKind, item: Item, definition: object, redact: Redact): string {
  const shared = SHARED[kind];
  let bits = 0;
  // Serialized field by field: in V8 building an object of the remaining fields takes longer than all the rest.
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

/** Undefined for a value that is not JSON: an in-process server passes objects with anything in them. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined; // a BigInt, or a circular object: no other client would receive it either
  }
}

/** Without escapes, strings stand in JSON as they are: if redacting the whole text changes nothing, it is clean. */
function redactJson(text: string, redact: Redact): string {
  const isClean = !text.includes('\\') && redact(text) === text;
  return isClean ? text : JSON.stringify(redactValue(JSON.parse(text), redact));
}

/** The server's own item; undefined when the text does not hold one. Never throws: the text may come from a file. */
export function fromOwnText(kind: ListKind, text: string, definition: Item): Item | undefined {
  const shared = SHARED[kind];
  const end = text.indexOf('{');
  const bits = Number(end === -1 ? text : text.slice(0, end));
  // The first bit, the item's key, is always shared with the definition.
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
    return undefined; // the file holds something else now
  }
}

const ITEM_LIMIT = 256_000; // characters beyond what the definition has; as many as a schema may have
