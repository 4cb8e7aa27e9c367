import { isObject } from '../../base/json.js';
import { isSameJson } from '../text/same-json.js';
import type { JsonSchema } from '../tool.js';

/** A schema for what fits both schemas. */
export function joinBoth(one: unknown, other: unknown): unknown {
  if (isSameJson(one, other) || saysNothing(other)) return one;
  if (saysNothing(one)) return other;
  return { allOf: [one, other] };
}

/** A schema for what fits either schema. Two lists of values, as of a discriminator, become one list. */
export function joinAlternatives(one: unknown, other: unknown): unknown {
  if (isSameJson(one, other)) return one;
  if (saysNothing(one) || saysNothing(other)) return {};
  const values = toValues(one);
  const others = toValues(other);
  if (values !== undefined && others !== undefined) {
    const { const: _, ...rest } = one as { readonly [keyword: string]: unknown };
    const all = [...values, ...others.filter((value) => !values.includes(value))];
    return { ...rest, enum: all };
  }
  const list = isObject(one) && Object.keys(one).length === 1 && Array.isArray(one['anyOf']) ? one['anyOf'] : [one];
  return { anyOf: [...list, other] };
}

/** A schema with the keywords of both; where both have a keyword that cannot be merged, the second wins. */
export function mergeSchemas(one: JsonSchema, other: JsonSchema): JsonSchema {
  const merged: Record<string, unknown> = { ...one, ...other };
  const properties = [one['properties'], other['properties']].filter(isObject);
  if (properties.length === 2) merged['properties'] = joinMaps(properties[0]!, properties[1]!, joinBoth);
  const required = [one['required'], other['required']].filter((list) => Array.isArray(list));
  if (required.length === 2) merged['required'] = [...new Set(required.flat())];
  const parts = [one['allOf'], other['allOf']].filter((list) => Array.isArray(list));
  if (parts.length === 2) merged['allOf'] = parts.flat();
  return merged;
}

/** Merges two maps of schemas; `join` combines two schemas of the same name. */
export function joinMaps(
  one: JsonSchema,
  other: JsonSchema,
  join: (one: unknown, other: unknown) => unknown,
): JsonSchema {
  const joined = new Map(Object.entries(one));
  for (const [name, schema] of Object.entries(other))
    joined.set(name, joined.has(name) ? join(joined.get(name), schema) : schema);
  return Object.fromEntries(joined);
}

function saysNothing(schema: unknown): boolean {
  return schema === true || (isObject(schema) && Object.keys(schema).length === 0);
}

/** The values of a schema that only lists strings; else undefined. */
function toValues(schema: unknown): readonly unknown[] | undefined {
  if (!isObject(schema) || !Object.keys(schema).every((keyword) => LISTING.has(keyword))) return undefined;
  const values = Array.isArray(schema['enum']) ? schema['enum'] : 'const' in schema ? [schema['const']] : undefined;
  return values?.every((value) => typeof value === 'string') === true ? values : undefined;
}

const LISTING: ReadonlySet<string> = new Set(['const', 'enum', 'type', 'description', 'title']);
