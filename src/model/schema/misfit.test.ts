import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.js';
import { prepareSchema } from './check.js';
import { Fuel } from './fuel.js';
import { type ArgumentsFit, sortArguments, toFit } from './misfit.js';

function fitOf(schema: unknown, input: JsonObject): ArgumentsFit {
  const sorted = sortArguments(schema, input);
  return toFit(sorted, prepareSchema(schema)(sorted.listed, new Fuel(1_000_000)));
}

const issue = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    labels: { type: 'array', items: { type: 'string' } },
    level: { enum: ['low', 'high'] },
  },
  required: ['title'],
};
const twoParts = {
  allOf: [{ properties: { a: {} } }, { $ref: '#/$defs/b' }],
  $defs: { b: { properties: { b: {} } } },
};

test.each<[unknown, JsonObject, readonly string[]]>([
  [issue, { titel: 'a' }, ['titel: not an argument; did you mean title?', 'title: missing']],
  [issue, { title: 'a', nothing_like_it: 1 }, ['nothing_like_it: not an argument']],
  [issue, { title: 'a', titel: 'b' }, ['titel: not an argument']],
  [issue, {}, ['title: missing']],
  [issue, { title: 1.5 }, ['title: must be string, is number']],
  [issue, { title: 'a', labels: ['a', 2] }, ['labels.1: must be string, is integer']],
  [issue, { title: 'a', level: 'medium' }, ['level: must be "low" or "high"']],
  [issue, JSON.parse('{"title":"a","__proto__":1}'), ['__proto__: not an argument']],
  [issue, { title: 'a', constructor: 1 }, ['constructor: not an argument']],
  [{ type: 'object', properties: {} }, { a: 1 }, ['a: not an argument; the tool takes none']],
  [{ type: 'object', additionalProperties: false }, { a: 1 }, ['a: not an argument; the tool takes none']],
  [
    { ...issue, additionalProperties: false },
    { title: 'a', lables: [] },
    ['lables: not an argument; did you mean labels?'],
  ],
  [{ ...issue, additionalProperties: { type: 'number' } }, { title: 'a', x: 'y' }, ['x: must be number, is string']],
  [{ properties: {}, patternProperties: { '^x-': {} } }, { 'y-a': 1 }, ['y-a: not an argument; the tool takes none']],
  [{ properties: { a: {}, b: { properties: { c: {} }, required: ['c'] } } }, { b: {} }, ['b.c: missing']],
  [twoParts, { c: 1 }, ['c: not an argument; did you mean a?']],
])('a tool that takes %j does not take %j', (schema, input, issues) => {
  expect(fitOf(schema, input)).toEqual({ kind: 'misfit', issues });
});

test.each<[unknown, JsonObject]>([
  [{ type: 'object' }, { a: 1 }],
  [{}, { a: 1 }],
  [issue, { title: 'a', more: undefined }],
  [
    { ...issue, additionalProperties: true },
    { title: 'a', more: 1 },
  ],
  [
    { ...issue, additionalProperties: {} },
    { title: 'a', more: 1 },
  ],
  [
    { ...issue, unevaluatedProperties: true },
    { title: 'a', more: 1 },
  ],
  [{ properties: {}, patternProperties: { '^x-': {} } }, { 'x-a': 1 }],
  [twoParts, { a: 1, b: 2 }],
  [
    {
      oneOf: [
        { properties: { a: {} }, required: ['a'] },
        { properties: { b: {} }, required: ['b'] },
      ],
    },
    { b: 2 },
  ],
  [
    { properties: { a: {} }, if: { required: ['c'] }, else: { properties: { b: {} } } },
    { a: 1, b: 2 },
  ],
  [
    { properties: { a: {} }, dependentSchemas: { a: { properties: { b: {} } } } },
    { a: 1, b: 2 },
  ],
  [JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'), JSON.parse('{"__proto__":"x"}')],
])('a tool that takes %j takes %j', (schema, input) => {
  expect(fitOf(schema, input)).toEqual({ kind: 'fit' });
});

const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`p${at}`, {}]));
let deep: unknown = {};
for (let level = 0; level < 100_000; level++) deep = { allOf: [deep] };

test.each<[string, unknown]>([
  ['refers to itself', { $ref: '#' }],
  ['refers to nothing', { $ref: '#/$defs/none' }],
  ['refers to another document', { $ref: 'https://example.com/x' }],
  ['has a pattern that is none', { properties: {}, patternProperties: { '([': {} } }],
  ['has a dialect that is not known', { $schema: 'http://example.com/x', properties: { a: {} } }],
  ['has properties that are none', { properties: [], required: 'all' }],
  ['is nested too deep', deep],
])('a schema that %s is not checked, and says why', (_, schema) => {
  expect(fitOf(schema, { a: 1 })).toEqual({ kind: 'unchecked', reason: expect.stringMatching(/./u) as string });
});

test('of very many names one that is not listed is found', () => {
  expect(fitOf({ properties: wide }, { nothing: 1 })).toEqual({ kind: 'misfit', issues: ['nothing: not an argument'] });
});
