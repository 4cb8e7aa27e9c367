// https://json-schema.org/draft/2020-12/schema: what the value of each keyword has to be.

export type KeywordKind = keyof typeof KEYWORDS;

/** The kind of a keyword's value; undefined when it may be anything, or when JSON Schema has no such keyword. */
export function keywordKindOf(keyword: string): KeywordKind | undefined {
  return KINDS.get(keyword);
}

export const KEYWORDS = {
  schema: [
    'items',
    'additionalItems',
    'contains',
    'additionalProperties',
    'propertyNames',
    'unevaluatedItems',
    'unevaluatedProperties',
    'if',
    'then',
    'else',
    'not',
    'contentSchema',
  ],
  schemas: ['allOf', 'anyOf', 'oneOf', 'prefixItems'],
  pattern: ['pattern'],
  'pattern-map': ['patternProperties'],
  map: ['properties', 'dependentSchemas', '$defs', 'definitions'],
  dependencies: ['dependencies'],
  string: [
    '$schema',
    '$ref',
    '$dynamicRef',
    '$comment',
    'title',
    'description',
    'format',
    'contentEncoding',
    'contentMediaType',
  ],
  anchor: ['$anchor', '$dynamicAnchor'],
  id: ['$id'],
  count: [
    'maxLength',
    'minLength',
    'maxItems',
    'minItems',
    'maxContains',
    'minContains',
    'maxProperties',
    'minProperties',
  ],
  number: ['maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  multiple: ['multipleOf'],
  boolean: ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'],
  strings: ['required'],
  'string-map': ['dependentRequired'],
  list: ['enum', 'examples'],
  type: ['type'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const KINDS: ReadonlyMap<string, KeywordKind> = new Map(
  Object.entries(KEYWORDS).flatMap(([kind, words]) => words.map((word) => [word, kind as KeywordKind])),
);
