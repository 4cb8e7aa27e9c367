import { isObject } from '../base/json.js';
import { shorten } from '../base/shorten.js';
import { gateLine } from '../model/text/text-gate.js';

/**
 * The shape of a JSON value in one line, such as `{rows: [{id: number, tags?: [string]}], total: number}`: enough to
 * select a part of it. Examines a sample, however large the value is, and is short itself.
 */
export function compactSchema(value: unknown): string {
  const root = emptyShape();
  merge(root, value, { left: VALUES });
  return shorten(print(root), LIMIT);
}

/** What was seen at one position of the value. */
interface Shape {
  /** Types of primitive values. */
  readonly plain: Set<string>;
  /** Number of objects. */
  objects: number;
  readonly fields: Map<string, { readonly shape: Shape; seen: number }>;
  /** For objects with so many keys that the keys are data. */
  entries: Shape | undefined;
  items: Shape | undefined;
  hasItems: boolean;
  isDeeper: boolean;
}

/** Number of values that may still be examined. */
interface Budget {
  left: number;
}

function emptyShape(): Shape {
  return {
    plain: new Set(),
    objects: 0,
    fields: new Map(),
    entries: undefined,
    items: undefined,
    hasItems: false,
    isDeeper: false,
  };
}

function merge(shape: Shape, value: unknown, budget: Budget, depth = 0): void {
  if (--budget.left < 0) return;
  if (Array.isArray(value)) mergeItems(shape, value, budget, depth);
  else if (isObject(value)) mergeObject(shape, value, budget, depth);
  else shape.plain.add(value === null ? 'null' : typeof value);
}

function mergeItems(shape: Shape, items: readonly unknown[], budget: Budget, depth: number): void {
  if (depth >= DEPTH) {
    shape.isDeeper = true;
    return;
  }
  shape.items ??= emptyShape();
  // The first items, then a spread over the rest: later items often differ.
  const step = Math.max(1, Math.floor(items.length / SPREAD));
  for (let at = 0; at < items.length && budget.left > 0; at += at < FIRST ? 1 : step) {
    shape.hasItems = true;
    merge(shape.items, items[at], budget, depth + 1);
  }
}

function mergeObject(shape: Shape, value: { readonly [key: string]: unknown }, budget: Budget, depth: number): void {
  shape.objects++;
  if (depth >= DEPTH) {
    shape.isDeeper = true;
    return;
  }
  let count = 0;
  for (const key in value) {
    if (budget.left <= 0 || count++ >= KEYS_SEEN) return;
    if (shape.entries) merge(shape.entries, value[key], budget, depth + 1);
    else if (shape.fields.has(key) || shape.fields.size < KEYS) {
      const field = shape.fields.get(key) ?? { shape: emptyShape(), seen: 0 };
      shape.fields.set(key, field);
      field.seen++;
      merge(field.shape, value[key], budget, depth + 1);
    } else {
      shape.entries = emptyShape();
      merge(shape.entries, value[key], budget, depth + 1);
    }
  }
}

function print(shape: Shape): string {
  const kinds = [...shape.plain];
  if (shape.objects > 0) kinds.push(printObject(shape));
  if (shape.items) kinds.push(shape.hasItems ? `[${print(shape.items)}]` : '[]');
  else if (shape.isDeeper && shape.objects === 0) kinds.push('[…]');
  return kinds.length === 0 ? '…' : kinds.join(' | ');
}

function printObject({ fields, objects, entries, isDeeper }: Shape): string {
  if (fields.size === 0) return isDeeper ? '{…}' : '{}';
  const texts: string[] = [];
  let length = 0;
  for (const [key, { shape, seen }] of fields) {
    if (length > LIMIT || (entries && texts.length >= KEYS_OF_MANY)) break;
    const text = `${keyText(key)}${seen < objects ? '?' : ''}: ${print(shape)}`;
    texts.push(text);
    length += text.length;
  }
  if (entries || texts.length < fields.size) texts.push('…');
  return `{${texts.join(', ')}}`;
}

function keyText(key: string): string {
  const { text } = gateLine(key, { limit: KEY_LENGTH });
  return /^[A-Za-z_$][\w$]*$/u.test(text) ? text : JSON.stringify(text);
}

const DEPTH = 8;
const VALUES = 5_000;
const FIRST = 20;
const SPREAD = 80;
const KEYS = 60; // per object; with more, the keys are data
const KEYS_OF_MANY = 5;
const KEYS_SEEN = 500;
const KEY_LENGTH = 60;
const LIMIT = 1_500; // characters, which a model pays for
