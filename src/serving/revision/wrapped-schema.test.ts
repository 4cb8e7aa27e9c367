import { expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../base/json.js';
import { SchemaChecker } from '../../edge/schema-checker.js';
import { toWrappedSchema } from './wrapped-schema.js';

const values: readonly unknown[] = [
  {},
  { value: 1 },
  { value: 'x' },
  { a: 1 },
  { a: 'x' },
  { children: [{ children: [] }] },
  { children: [{ children: 1 }] },
  [],
  [1, 2],
  ['x'],
  [[1], ['x']],
  'x',
  '',
  7,
  -1,
  true,
  null,
];

const schemas: Record<string, JsonObject> = {
  'a list': { type: 'array', items: { type: 'number' } },
  'a text': { type: 'string', minLength: 1, description: 'what it is' },
  'a list of what is defined': { type: 'array', items: { $ref: '#/$defs/item' }, $defs: { item: { type: 'number' } } },
  'a list of lists': { type: 'array', items: { anyOf: [{ type: 'number' }, { $ref: '#' }] } },
  'what has an anchor': {
    type: 'array',
    items: { $ref: '#item' },
    $defs: { item: { $anchor: 'item', type: 'string' } },
  },
  'what has an id': {
    $id: 'https://example.com/list',
    type: 'array',
    items: { $ref: '#/$defs/item' },
    $defs: { item: { type: 'number' } },
  },
  'an inner id': {
    type: 'array',
    items: { $ref: '#/$defs/inner' },
    $defs: {
      inner: { $id: 'https://example.com/inner', $ref: '#/$defs/number', $defs: { number: { type: 'number' } } },
    },
  },
  'numbers or texts': { anyOf: [{ type: 'number' }, { type: 'string' }] },
  'objects without a type': { properties: { a: { type: 'number' } }, required: ['a'] },
  'a list or an object': {
    type: ['array', 'object'],
    items: { type: 'number' },
    properties: { a: { type: 'string' } },
  },
  'one of several': {
    oneOf: [{ $ref: '#/$defs/list' }, { $ref: '#/$defs/thing' }],
    $defs: { list: { type: 'array' }, thing: { type: 'object', required: ['a'] } },
  },
  'a union of objects': {
    anyOf: [
      { type: 'object', required: ['a'] },
      { type: 'object', required: ['value'] },
    ],
  },
  'a reference to an object': {
    $ref: '#/$defs/tree',
    $defs: {
      tree: {
        type: 'object',
        required: ['children'],
        properties: { children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
      },
    },
  },
  'a reference to a list': { $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'array', items: { type: 'number' } } } },
  'objects and others with an id': {
    $id: 'https://example.com/any',
    anyOf: [{ $ref: '#/$defs/n' }, { required: ['a'], type: 'object' }],
    $defs: { n: { type: 'number' } },
  },
  'a property named like a reference': {
    type: 'array',
    items: { type: 'object', properties: { $ref: { type: 'string' } } },
  },
  constants: { enum: ['x', 7, [1, 2]] },
  'a constant': { const: null },
  'one object or nothing': { enum: [{ a: 1 }, null] },
  everything: {},
  'all of': { allOf: [{ description: 'any' }, { type: 'array' }] },
  'no end': { $ref: '#' },
  'nothing there': { anyOf: [{ $ref: '#/$defs/none' }, { type: 'string' }] },
};

const asSent = (value: unknown): unknown => (isObject(value) ? value : { value });

test.each(Object.entries(schemas))('a client finds valid what the server did, by a schema of %s', async (_, schema) => {
  const old = toWrappedSchema(schema);
  expect(old['type']).toBe('object');
  const checker = new SchemaChecker();
  const wrong: unknown[] = [];
  for (const value of values) {
    const [before, after] = [await checker.check(schema, value), await checker.check(old, asSent(value))];
    // Where only wrapped values are valid, nothing else is: elsewhere an object may look like a wrapped value.
    const isJudged = before.kind === 'invalid' && 'required' in old && !isObject(value);
    if ((isJudged || before.kind === 'valid') && after.kind !== before.kind) wrong.push(value);
  }
  expect(wrong).toEqual([]);
});

test('a schema of objects is not touched', () => {
  const schema = { type: 'object', properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: {} } };
  expect(toWrappedSchema(schema)).toBe(schema);
});

test('a union of objects gets only the word that says so', () => {
  const union = schemas['a union of objects']!;
  expect(toWrappedSchema(union)).toEqual({ ...union, type: 'object' });
});

test('references begin at the new place, in what is a schema and nowhere else', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'array',
    items: { $ref: '#/$defs/node' },
    $defs: {
      node: { $dynamicAnchor: 'node', properties: { next: { $dynamicRef: '#node' }, all: { $ref: '#' } } },
      other: { $ref: 'https://example.com/other#/a', default: { $ref: '#/x' }, const: { $ref: '#' } },
    },
    examples: [{ $ref: '#/x' }],
  };
  const place = '#/properties/value';
  expect(toWrappedSchema(schema)).toEqual({
    $schema: schema.$schema,
    type: 'object',
    required: ['value'],
    properties: {
      value: {
        type: 'array',
        items: { $ref: `${place}/$defs/node` },
        $defs: {
          node: { $dynamicAnchor: 'node', properties: { next: { $dynamicRef: '#node' }, all: { $ref: place } } },
          other: schema.$defs.other,
        },
        examples: schema.examples,
      },
    },
  });
});

test('a schema of 2019 that refers to its root still does', () => {
  const schema = {
    $recursiveAnchor: true,
    type: 'array',
    items: { $recursiveRef: '#' },
    not: { $ref: '#/a', $recursiveRef: '#' },
  };
  const place = '#/properties/value';
  expect(toWrappedSchema(schema)['properties']).toEqual({
    value: { type: 'array', items: { $ref: place }, not: { $ref: `${place}/a`, allOf: [{ $ref: place }] } },
  });
});

test('a schema as deep as a message may be is moved too', () => {
  let schema: JsonObject = { $ref: '#/$defs/x' };
  for (let depth = 0; depth < 500; depth++) schema = { items: schema };
  const old = JSON.stringify(toWrappedSchema({ type: 'array', ...schema }));
  expect(old).toContain('#/properties/value/$defs/x');
});

test('a union without end is moved as it is', () => {
  const loop = { anyOf: [{ $ref: '#/anyOf/1' }, { $ref: '#/anyOf/0' }] };
  expect(toWrappedSchema(loop)['type']).toBe('object');
  const wide = { anyOf: Array.from({ length: 100 }, () => ({ $ref: '#' })) };
  expect(toWrappedSchema(wide)['type']).toBe('object');
});

test('names that every object has are names like others', () => {
  const schema = JSON.parse(
    '{"type":"array","$defs":{"__proto__":{"$ref":"#/a"},"constructor":{"$ref":"#"}}}',
  ) as JsonObject;
  const text = JSON.stringify(toWrappedSchema(schema));
  expect(text).toContain('"__proto__":{"$ref":"#/properties/value/a"},"constructor":{"$ref":"#/properties/value"}');
});
