// https://ai.google.dev/api/caching#Schema: which keywords may stand with which type.
import type { JsonSchema } from '../tool.js';

export type GeminiType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';

export function allowedFor(type: GeminiType): ReadonlySet<string> {
  return ALLOWED[type];
}

export function isAllowedFormat(type: GeminiType, format: string): boolean {
  return FORMATS[type].includes(format);
}

/** The types that a schema without `type` implies by its other keywords; empty when there are none. */
export function impliedTypes(schema: JsonSchema): readonly (GeminiType | 'null')[] {
  const values = schema['enum'];
  if (Array.isArray(values)) return [...new Set(values.map(typeOf))];
  return SIGNS.flatMap(([type, words]) => (words.some((word) => schema[word] !== undefined) ? [type] : []));
}

function typeOf(value: unknown): GeminiType | 'null' {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value as 'string' | 'boolean';
  return typeof value === 'number' ? 'number' : 'object';
}

const SIGNS: readonly (readonly [GeminiType, readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains']],
  ['string', ['pattern', 'minLength', 'maxLength', 'format', 'contentEncoding']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

const ANY = ['type', 'title', 'description', 'default', 'example'];
const ALLOWED: { readonly [type in GeminiType]: ReadonlySet<string> } = {
  string: new Set([...ANY, 'enum', 'format', 'pattern', 'minLength', 'maxLength']),
  number: new Set([...ANY, 'format', 'minimum', 'maximum']),
  integer: new Set([...ANY, 'format', 'minimum', 'maximum']),
  boolean: new Set(ANY),
  array: new Set([...ANY, 'items', 'minItems', 'maxItems']),
  object: new Set([...ANY, 'properties', 'required', 'propertyOrdering', 'minProperties', 'maxProperties']),
};
const FORMATS: { readonly [type in GeminiType]: readonly string[] } = {
  string: ['enum', 'date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
  boolean: [],
  array: [],
  object: [],
};
