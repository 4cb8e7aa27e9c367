import { isObject } from '../../base/json.js';
import type { JsonSchema } from '../tool.js';
import { keywordKindOf } from './keywords.js';

export interface SchemaVisitor {
  /** Replaces what stands in a schema's place, before its inside is visited. `path` is one array, reused. */
  before?(value: unknown, path: readonly string[]): unknown;
  /** Replaces it once more, after its inside has been visited. */
  after?(value: unknown, path: readonly string[]): unknown;
}

/** Visits every place of a schema where a schema may stand. Unchanged parts stay the same objects. */
export function mapSchema(schema: unknown, visitor: SchemaVisitor): unknown {
  return visit(schema, visitor, []);
}

function visit(value: unknown, visitor: SchemaVisitor, path: string[]): unknown {
  const opened = visitor.before === undefined ? value : visitor.before(value, path);
  const done = isObject(opened) ? visitInside(opened, visitor, path) : opened;
  return visitor.after === undefined ? done : visitor.after(done, path);
}

function visitInside(schema: JsonSchema, visitor: SchemaVisitor, path: string[]): JsonSchema {
  let copy: Record<string, unknown> | undefined;
  for (const keyword of Object.keys(schema)) {
    const before = schema[keyword];
    path.push(keyword);
    const after = visitKeyword(keyword, before, visitor, path);
    path.pop();
    if (after === before) continue;
    copy ??= { ...schema };
    copy[keyword] = after;
  }
  return copy ?? schema;
}

function visitKeyword(keyword: string, value: unknown, visitor: SchemaVisitor, path: string[]): unknown {
  const kind = keywordKindOf(keyword);
  if (kind === 'schema') return Array.isArray(value) ? visitList(value, visitor, path) : visit(value, visitor, path);
  if (kind === 'schemas') return Array.isArray(value) ? visitList(value, visitor, path) : value;
  if (kind === 'map' || kind === 'pattern-map') return isObject(value) ? visitMap(value, visitor, path) : value;
  if (kind !== 'dependencies' || !isObject(value)) return value;
  // A list in `dependencies` names properties; `visitMap` visits only the schemas.
  return visitMap(value, visitor, path);
}

function visitList(list: readonly unknown[], visitor: SchemaVisitor, path: string[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, before] of list.entries()) {
    path.push(String(index));
    const after = visit(before, visitor, path);
    path.pop();
    if (after !== before) copy ??= list.slice(0, index);
    copy?.push(after);
  }
  return copy ?? list;
}

function visitMap(map: JsonSchema, visitor: SchemaVisitor, path: string[]): JsonSchema {
  let changed = false;
  const entries = Object.entries(map).map(([key, before]): [string, unknown] => {
    if (Array.isArray(before) && path.at(-1) === 'dependencies') return [key, before];
    path.push(key);
    const after = visit(before, visitor, path);
    path.pop();
    if (after !== before) changed = true;
    return [key, after];
  });
  return changed ? Object.fromEntries(entries) : map;
}
