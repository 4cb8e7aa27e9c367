import { expect, test } from 'vitest';
import { prepareSchema, type SchemaOutcome } from './check.js';
import { Fuel } from './fuel.js';

function outcomeOf(schema: unknown, value: unknown): SchemaOutcome {
  return prepareSchema(schema)(value, new Fuel(1_500_000));
}

function check(schema: unknown, { valid, invalid }: { valid: readonly unknown[]; invalid: readonly unknown[] }): void {
  for (const value of valid) expect({ value, ...outcomeOf(schema, value) }).toEqual({ value, kind: 'valid' });
  for (const value of invalid) expect({ value, ...outcomeOf(schema, value) }).toMatchObject({ value, kind: 'invalid' });
}

const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#' };
const draft4 = { $schema: 'http://json-schema.org/draft-04/schema#' };
const draft2019 = { $schema: 'https://json-schema.org/draft/2019-09/schema' };
const own = (text: string): unknown => JSON.parse(text);

test.each<[what: string, schema: unknown, valid: unknown[], invalid: unknown[]]>([
  ['everything', true, [1, null, {}], []],
  ['nothing', false, [], [1, null, {}]],
  ['a type', { type: 'integer' }, [1, 1.0, -0], [1.5, '1', null, NaN]],
  ['several types', { type: ['string', 'null'] }, ['', null], [0, false]],
  [
    'a choice',
    { enum: ['a', 1, null, { b: [1, { c: 2, d: 3 }] }] },
    ['a', 1, null, { b: [1, { d: 3, c: 2 }] }],
    ['1', {}],
  ],
  ['a constant', { const: { a: [false] } }, [{ a: [false] }], [{ a: [0] }, { a: false }]],
  ['a constant null', { const: null }, [null], [0, '', undefined]],
  ['bounds', { minimum: 1, exclusiveMaximum: 3 }, [1, 2.9, 'x'], [0.9, 3]],
  ['a multiple', { multipleOf: 0.01 }, [4.35, 0, 1e308, 19.99], [0.001, 4.355]],
  ['a large multiple', { multipleOf: 3 }, [9007199254740990, 3e20], [4, 1e20]],
  ['lengths in characters', { minLength: 2, maxLength: 3 }, ['🙂🙂', '🙂🙂🙂', 'ab'], ['🙂', 'abcd', '🙂🙂🙂🙂']],
  ['a pattern', { pattern: '^(?=.*\\d)[a-z\\d]+$' }, ['a1', 1], ['a', '!1']],
  ['a format, which is only a note', { format: 'email' }, ['not an address', 1], []],
  ['items', { items: { type: 'number' }, minItems: 1, maxItems: 2 }, [[1], [1, 2]], [[], ['1'], [1, 2, 3]]],
  ['a tuple', { prefixItems: [{ type: 'string' }], items: false }, [[], ['a']], [[1], ['a', 'b']]],
  [
    'a tuple of draft-07 without its name',
    { items: [{ type: 'string' }], additionalItems: false },
    [['a']],
    [[1], ['a', 1]],
  ],
  [
    'contained items',
    { contains: { const: 1 }, minContains: 2, maxContains: 3 },
    [
      [1, 1],
      [1, 0, 1, 1],
    ],
    [[1], [1, 1, 1, 1]],
  ],
  [
    'unique items',
    { uniqueItems: true },
    [[1, '1', true, [1], { a: 1, b: 2 }]],
    [
      [1, 1.0],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
  ],
  [
    'required properties',
    { required: ['a', 'toString'] },
    [{ a: null, toString: 1 }],
    [{ a: 1 }, { a: undefined, toString: 1 }],
  ],
  [
    'properties',
    { properties: { a: { type: 'string' } }, additionalProperties: false },
    [{ a: '' }, {}],
    [{ a: 1 }, { b: 1 }],
  ],
  [
    'properties by pattern',
    { patternProperties: { '^x-': { type: 'number' } }, additionalProperties: false },
    [{ 'x-a': 1 }],
    [{ 'x-a': '' }, { y: 1 }],
  ],
  [
    'many properties',
    { properties: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`p${i}`, { type: 'number' }])) },
    [{ p7: 1, q: '' }],
    [{ p7: '' }],
  ],
  ['names of properties', { propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
  [
    'numbers of properties',
    { minProperties: 1, maxProperties: 2 },
    [{ a: 1 }, { a: 1, b: undefined, c: 1 }],
    [{}, { a: undefined }],
  ],
  [
    'dependent properties',
    { dependentRequired: { a: ['b'] }, dependentSchemas: { c: { required: ['d'] } } },
    [{ a: 1, b: 1 }, { b: 1 }],
    [{ a: 1 }, { c: 1 }],
  ],
  [
    'dependencies',
    { ...draft7, dependencies: { a: ['b'], c: { required: ['d'] } } },
    [{ a: 1, b: 1 }],
    [{ a: 1 }, { c: 1 }],
  ],
  ['all of several', { allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 'x'], [0, 3]],
  ['any of several', { anyOf: [{ type: 'string' }, { minimum: 2 }] }, ['', 2], [1]],
  ['one of several', { oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, [2, 3], [6, 1]],
  ['the contrary', { not: { type: 'string' } }, [1], ['']],
  [
    'a condition',
    own('{"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]},"else":{"required":["c"]}}'),
    [
      { a: 1, b: 1 },
      { a: 2, c: 1 },
    ],
    [{ a: 1, c: 1 }, { a: 2 }],
  ],
  ['a reference', { $ref: '#/$defs/a~1b%25', $defs: { 'a/b%': { type: 'string' } } }, ['x'], [1]],
  [
    'a reference beside keywords',
    { $ref: '#/$defs/a', minLength: 2, $defs: { a: { type: 'string' } } },
    ['xx'],
    ['x', 1],
  ],
  [
    'a reference of draft-07, which stands alone',
    { ...draft7, definitions: { a: { type: 'string' } }, properties: { a: { $ref: '#/definitions/a', minLength: 2 } } },
    [{ a: 'x' }],
    [{ a: 1 }],
  ],
  [
    'two anchors of one name, always the same of them',
    {
      properties: { a: { $anchor: 'x', type: 'string' }, b: { $ref: '#x' } },
      $defs: { d: { $anchor: 'x', type: 'number' } },
    },
    [{ b: 1 }],
    [{ b: 'x' }],
  ],
  ['an anchor', { $ref: '#here', $defs: { a: { $anchor: 'here', type: 'string' } } }, ['x'], [1]],
  [
    'an address within',
    { $id: 'http://a.test/root', $ref: 'item', $defs: { a: { $id: 'item', type: 'string' } } },
    ['x'],
    [1],
  ],
  [
    'a tree',
    { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } }, additionalProperties: false },
    [{ children: [{ children: [] }] }],
    [{ children: [{ child: [] }] }],
  ],
  [
    'a dynamic reference',
    {
      $id: 'http://a.test/strict',
      $dynamicAnchor: 'node',
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: {
        a: {
          $id: 'tree',
          $dynamicAnchor: 'node',
          type: 'object',
          properties: { data: true, children: { type: 'array', items: { $dynamicRef: '#node' } } },
        },
      },
    },
    [{ children: [{ data: 1 }] }],
    [{ children: [{ daat: 1 }] }],
  ],
  [
    'a recursive reference of 2019-09',
    {
      ...draft2019,
      $id: 'http://a.test/strict',
      $recursiveAnchor: true,
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: {
        a: {
          $id: 'tree',
          $recursiveAnchor: true,
          type: 'object',
          properties: { data: true, children: { type: 'array', items: { $recursiveRef: '#' } } },
        },
      },
    },
    [{ children: [{ data: 1 }] }],
    [{ children: [{ daat: 1 }] }],
  ],
  [
    'unevaluated properties',
    {
      allOf: [{ properties: { a: true } }],
      anyOf: [{ required: ['b'], properties: { b: true } }, true],
      unevaluatedProperties: false,
    },
    [{ a: 1, b: 1 }],
    [{ c: 1 }],
  ],
  [
    'unevaluated items',
    { prefixItems: [true], contains: { const: 1 }, unevaluatedItems: false },
    [[0, 1], [1]],
    [[0, 1, 2]],
  ],
  ['exclusive bounds of draft-04', { ...draft4, minimum: 1, exclusiveMinimum: true }, [2], [1, 0]],
  ['unknown keywords', { 'x-mine': { $ref: 'http://a.test/' }, nullable: true, example: 1 }, [1, null], []],
  [
    '__proto__ as a property',
    own('{"properties":{"__proto__":{"type":"number"}},"required":["__proto__"],"additionalProperties":false}'),
    [own('{"__proto__":1}')],
    [own('{"__proto__":"x"}'), {}],
  ],
  [
    'names of the language',
    { properties: { constructor: { type: 'number' }, toString: false } },
    [{ constructor: 1 }, {}],
    [{ constructor: '' }, { toString: 1 }],
  ],
])('%s', (_what, schema, valid, invalid) => check(schema, { valid, invalid }));

test.each<[what: string, schema: unknown, value: unknown, reason: string]>([
  [
    'an address on the network',
    { $ref: 'https://evil.test/schema.json' },
    1,
    'refers to "https://evil.test/schema.json", which is not in it, and schemas are never fetched',
  ],
  ['a place that is not there', { $ref: '#/$defs/nope' }, 1, 'refers to "#/$defs/nope"'],
  ['a broken address', { $ref: '#/%zz' }, 1, 'refers to "#/%zz"'],
  ['an address that is no text', { $ref: 1 }, 1, "The schema's $ref is not what that keyword takes"],
  ['a schema that leads to itself', { $ref: '#' }, 1, 'a $ref leads to itself'],
  [
    'two schemas that lead to each other',
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    1,
    'a $ref leads to itself',
  ],
  [
    'a dialect of its own',
    { $schema: 'https://evil.test/dialect' },
    1,
    'a dialect that is not known here: "https://evil.test/dialect"',
  ],
  ['a text as a schema', 'string', 1, 'not a schema'],
  ['a list as a schema', [], 1, 'not a schema'],
  ['a type that does not exist', { type: 'file' }, 1, "The schema's type"],
  ['a bound that is a text', { minimum: '1' }, 1, "The schema's minimum"],
  ['properties that are a list', { properties: [] }, {}, "The schema's properties"],
  ['an empty choice of schemas', { anyOf: [] }, 1, "The schema's anyOf"],
  ['a pattern that refers back', { pattern: '(a)\\1' }, 'aa', 'The pattern "(a)\\1" refers back to what it matched'],
  ['a pattern of another language', { pattern: '(?i)a' }, 'a', 'has a group of an unknown kind'],
])('%s leaves the value unchecked, and says why', (_what, schema, value, reason) => {
  const outcome = outcomeOf(schema, value);
  expect(outcome).toMatchObject({ kind: 'unchecked', reason: expect.stringContaining(reason) });
});

const away = { $ref: 'https://evil.test/' };
test.each<[what: string, schema: unknown, value: unknown, kind: SchemaOutcome['kind']]>([
  ['is wrong in another way', { allOf: [away, { type: 'string' }] }, 1, 'invalid'],
  ['fits another alternative', { anyOf: [away, { type: 'number' }] }, 1, 'valid'],
  ['fits no other alternative', { anyOf: [away, { type: 'string' }] }, 1, 'unchecked'],
  ['fits two others of which one is allowed', { oneOf: [away, true, true] }, 1, 'invalid'],
  ['fits another of which one is allowed', { oneOf: [away, true] }, 1, 'unchecked'],
  ['may be what it must not be', { not: away }, 1, 'unchecked'],
  [
    'is right whatever the condition says',
    own('{"if":{"$ref":"https://evil.test/"},"then":{"type":"number"},"else":{"minimum":0}}'),
    1,
    'valid',
  ],
  [
    'is right only if the condition holds',
    own('{"if":{"$ref":"https://evil.test/"},"then":true,"else":false}'),
    1,
    'unchecked',
  ],
  ['does not have that property', { properties: { a: away } }, { b: 1 }, 'valid'],
  ['contains enough without it', { contains: { anyOf: [away, { const: 1 }] } }, [0, 1], 'valid'],
  ['may contain enough', { contains: { anyOf: [away, { const: 1 }] } }, [0], 'unchecked'],
  ['may have had its properties looked at', { ...away, unevaluatedProperties: false }, { a: 1 }, 'unchecked'],
  ['may have had its items looked at', { anyOf: [away, true], unevaluatedItems: false }, [1], 'unchecked'],
  [
    'has a name that a pattern may match',
    { patternProperties: { '\\1': true }, additionalProperties: false },
    { a: 1 },
    'unchecked',
  ],
])('where one part cannot be judged, a value that %s is still told right', (_what, schema, value, kind) => {
  expect(outcomeOf(schema, value).kind).toBe(kind);
});

test('a budget that is too small leaves the value unchecked, and the same schema works with a larger one', () => {
  const schema = prepareSchema({
    $id: 'http://a.test/',
    items: { $ref: 'b' },
    $defs: { b: { $id: 'b', $ref: '#c', $defs: { c: { $anchor: 'c', type: 'number' } } } },
  });
  for (let units = 10; units < 4_000; units += 10)
    expect(['valid', 'unchecked']).toContain(schema([1, 2], new Fuel(units)).kind);
  expect(schema([1, 2], new Fuel(100_000)).kind).toBe('valid');
  expect(schema([1, ''], new Fuel(100_000)).kind).toBe('invalid');
});

test('values that are not JSON, and that bite, leave the value unchecked or wrong, and nothing is thrown', () => {
  const loop: unknown[] = [];
  loop.push(loop);
  const trap = Object.defineProperty({}, 'a', {
    enumerable: true,
    get: () => {
      throw new Error('bite');
    },
  });
  expect(outcomeOf({ items: { $ref: '#' } }, loop).kind).toBe('unchecked');
  expect(outcomeOf({ uniqueItems: true }, [loop]).kind).toBe('unchecked');
  expect(outcomeOf({ properties: { a: true } }, trap)).toEqual({ kind: 'unchecked', reason: 'The check failed: bite' });
  for (const value of [1n, Symbol('a'), () => 1, undefined])
    expect(outcomeOf({ type: 'object' }, value).kind).toBe('invalid');
  expect(outcomeOf(loop, 1).kind).toBe('unchecked');
});
