/** Schemas that servers send, or could: none of them is accepted as it is by every API. */
export const nastySchemas: { readonly [name: string]: unknown } = {
  empty: {},
  'empty-object': { type: 'object' },
  'no-type': { properties: { path: { type: 'string' } }, required: ['path'] },
  'type-list': { type: ['object', 'null'], properties: { path: { type: ['string', 'null'] } } },
  'a-string': { type: 'string' },
  'a-list': { type: 'array', items: { type: 'string' } },
  'one-of-root': {
    type: 'object',
    properties: { dry: { type: 'boolean' } },
    oneOf: [
      { properties: { kind: { const: 'file' }, path: { type: 'string' } }, required: ['kind', 'path'] },
      { properties: { kind: { const: 'url' }, url: { type: 'string', format: 'uri' } }, required: ['kind', 'url'] },
    ],
  },
  'any-of-root': {
    anyOf: [
      { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'], additionalProperties: false },
      {
        type: 'object',
        properties: { id: { type: 'string' }, deep: true },
        required: ['id'],
        additionalProperties: false,
      },
      { type: 'string' },
    ],
  },
  'any-of-required': {
    type: 'object',
    properties: { from: { type: 'string' }, to: { type: 'string' } },
    anyOf: [{ required: ['from'] }, { required: ['to'] }],
  },
  'all-of-root': {
    allOf: [
      { $ref: '#/$defs/paged' },
      { type: 'object', properties: { query: { type: 'string' } }, required: ['query'], additionalProperties: false },
    ],
    $defs: { paged: { type: 'object', properties: { page: { type: 'integer', minimum: 1 } }, required: ['page'] } },
  },
  'ref-root': {
    $ref: '#/definitions/Input',
    definitions: {
      Input: { type: 'object', properties: { name: { $ref: '#/definitions/Name' } } },
      Name: { type: 'string' },
    },
  },
  'ref-cycle': {
    type: 'object',
    properties: { tree: { $ref: '#/$defs/node' } },
    $defs: {
      node: {
        type: 'object',
        properties: { value: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
      },
    },
  },
  'ref-to-root': { type: 'object', properties: { value: { type: 'string' }, next: { $ref: '#' } } },
  'ref-in-circles': {
    type: 'object',
    properties: { x: { $ref: '#/$defs/a' } },
    $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
  },
  'ref-nowhere': {
    type: 'object',
    properties: {
      x: { $ref: '#/$defs/missing', description: 'Not there' },
      y: { $ref: 'https://example.com/schema.json' },
    },
  },
  'root-in-circles': { $ref: '#' },
  'draft-7-tuple': {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      pair: {
        type: 'array',
        items: [{ type: 'string' }, { type: 'number' }],
        additionalItems: { $ref: '#/properties/pair/items/0' },
      },
    },
  },
  'draft-4-limits': {
    type: 'object',
    properties: { n: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false } },
  },
  'draft-3-required': { type: 'object', properties: { a: { type: 'string', required: true }, b: { type: 'any' } } },
  'boolean-schemas': {
    type: 'object',
    properties: { anything: true, nothing: false, list: { type: 'array', items: true } },
    required: ['anything'],
    additionalProperties: false,
  },
  'list-without-items': {
    type: 'object',
    properties: { list: { type: 'array' }, either: { type: ['string', 'array'] } },
  },
  'number-enum': {
    type: 'object',
    properties: {
      size: { type: 'integer', enum: [1, 2, 4] },
      mixed: { enum: ['a', 1, null] },
      only: { const: 'x' },
      five: { const: 5 },
    },
  },
  formats: {
    type: 'object',
    properties: {
      site: { type: 'string', format: 'uri', minLength: 1 },
      when: { type: 'string', format: 'date-time' },
      count: { type: 'integer', format: 'int64', exclusiveMinimum: 0 },
    },
  },
  'pattern-properties': {
    type: 'object',
    patternProperties: { '^(?!x)': { type: 'string' }, '^[a-z]+$': { type: 'number' } },
    additionalProperties: false,
  },
  'odd-patterns': {
    type: 'object',
    properties: {
      mail: { type: 'string', pattern: String.raw`^(?!\.)[^@]+@[^@]+$` },
      letters: { type: 'string', pattern: String.raw`^\p{L}+$` },
      broken: { type: 'string', pattern: '([' },
      fine: { type: 'string', pattern: String.raw`^[a-z0-9_.-]{1,20}(?:/\d+)?$` },
    },
  },
  'unicode-keys': {
    type: 'object',
    properties: { größe: { type: 'integer' }, 名前: { type: 'string' } },
    required: ['größe'],
  },
  'nested-unicode-keys': {
    type: 'object',
    properties: { box: { type: 'object', properties: { größe: { type: 'integer' } } } },
  },
  'bracket-keys': { type: 'object', properties: { 'filter[id]': { type: 'string' } } },
  'hostile-keys': JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
  ),
  'wrong-kinds': {
    type: 'object',
    title: 7,
    description: ['x'],
    properties: {
      a: 'string',
      b: null,
      c: { type: 'STRING', minLength: -1, enum: 'a', anyOf: [] },
      d: { type: 'varchar', multipleOf: 0 },
    },
    required: ['a', 'a', 7, 'zzz'],
    $defs: [],
  },
  'properties-is-a-list': { type: 'object', properties: [], required: 'all' },
  'root-not': { type: 'object', properties: { a: { type: 'string' } }, not: { required: ['b'] }, enum: [{ a: 'x' }] },
  'open-map': { type: 'object', properties: { labels: { type: 'object', additionalProperties: { type: 'string' } } } },
  'nested-unions': {
    type: 'object',
    properties: {
      value: {
        description: 'A value',
        anyOf: [{ type: 'string', description: 'As text' }, { type: 'number' }, { type: 'null' }],
      },
      maybe: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
      all: { allOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { required: ['a'] }] },
      one: { oneOf: [{ const: 'a' }, { const: 'b' }] },
    },
  },
  'never-an-object': { anyOf: [{ type: 'string' }, { type: 'number' }] },
  deep: deep(20),
  'too-deep': deep(200),
  'too-large': { type: 'object', properties: { a: { type: 'string', description: 'x'.repeat(250_000) } } },
  bomb: {
    type: 'object',
    properties: { start: { $ref: '#/$defs/n0' } },
    $defs: Object.fromEntries(
      Array.from({ length: 20 }, (_, level) => [
        `n${level}`,
        level === 19
          ? { type: 'string' }
          : {
              type: 'object',
              properties: { l: { $ref: `#/$defs/n${level + 1}` }, r: { $ref: `#/$defs/n${level + 1}` } },
            },
      ]),
    ),
  },
};

function deep(levels: number): object {
  let schema: object = { type: 'string' };
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { in: schema } };
  return schema;
}
