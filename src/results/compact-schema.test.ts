import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSameJson } from '../model/text/same-json.js';
import { compactSchema } from './compact-schema.js';
import { parsePrefix } from './json-prefix.js';
import { jsonPieces } from './json-pieces.js';

test.each([
  [
    {
      rows: [
        { id: 1, name: 'a', tags: ['x'] },
        { id: 2, name: 'b' },
      ],
      total: 2,
    },
    '{rows: [{id: number, name: string, tags?: [string]}], total: number}',
  ],
  [[1, 'a', null, true], '[number | string | null | boolean]'],
  [{ 'a b': {}, list: [], none: null }, '{"a b": {}, list: [], none: null}'],
  ['text', 'string'],
  [[[1], [2, null]], '[[number | null]]'],
  [
    Object.fromEntries(Array.from({ length: 100 }, (_, id) => [`user${id}`, 1])),
    '{user0: number, user1: number, user2: number, user3: number, user4: number, …}',
  ],
  [{ a: [{ b: 1 }, [2]] }, '{a: [{b: number} | [number]]}'],
])('%j has the schema %s', (value, schema) => {
  expect(compactSchema(value)).toBe(schema);
});

test('it is short, one line and clean, whatever the value is', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      const schema = compactSchema(value);
      expect(schema.length).toBeLessThanOrEqual(1_501);
      expect(schema).not.toMatch(/\p{Cc}|\u202e/u);
    }),
    { numRuns: 60 },
  );
});

test('a schema that is too long ends in a mark', () => {
  const inner = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`inner_name_${at}`, 1]));
  const outer = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`outer_name_${at}`, inner]));
  const schema = compactSchema(outer);
  expect([schema.length, schema.at(-1)]).toEqual([1_501, '…']);
});

test('a value that is wide, deep and large takes no longer for it', () => {
  let deep: unknown = 1;
  for (let depth = 0; depth < 500; depth++) deep = { next: [deep] };
  const rows = Array.from({ length: 200_000 }, () => ROW);
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`.repeat(20), { index }]));
  for (const value of [deep, { rows }, wide, [wide, rows, deep]])
    expect(compactSchema(value).length).toBeLessThan(1_502);
});
const ROW = { id: 1, deep: { er: [1, 2, 3] } };

test('the beginning of a JSON text, wherever it is cut, is read as far as it is whole', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.array(fc.jsonValue(), { minLength: 1 }), fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })),
      fc.nat(400),
      fc.constantFrom(0, 2),
      (value, at, indent) => {
        const text = JSON.stringify(value, null, indent);
        const prefix = text.slice(0, Math.max(1, at));
        const found = parsePrefix(prefix);
        expect(Array.isArray(found)).toBe(Array.isArray(value));
        expect(typeof found).toBe('object');
        expect(prefix !== text || isSameJson(found, JSON.parse(text))).toBe(true);
      },
    ),
    { numRuns: 200 },
  );
  expect(parsePrefix('no JSON, at all')).toBeUndefined();
  expect(parsePrefix('')).toBeUndefined();
  expect(parsePrefix('[[[['.repeat(20_000))).toBeDefined();
});

test('a value written in pieces is the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      expect(JSON.parse([...jsonPieces(value, new Map())].join(''))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 200 },
  );
  const long = { text: 'é"\\\n'.repeat(100_000), list: Array.from({ length: 5_000 }, (_, id) => ({ id })) };
  const pieces = [...jsonPieces(long, new Map())];
  expect(JSON.parse(pieces.join(''))).toEqual(long);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(400_000);
});
