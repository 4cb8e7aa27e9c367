import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSameJson } from './same-json.js';

/** Deeper than any real value. */
function deep(): unknown {
  let value: unknown = 1;
  for (let depth = 0; depth < 100_000; depth++) value = [value];
  return value;
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).toReversed();
  return Object.fromEntries(fields.map(([key, child]) => [key, reversed(child)]));
}

test('a value is the same as itself with its fields in another order, and as nothing else', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy: unknown = JSON.parse(JSON.stringify(value));
      expect(isSameJson(copy, reversed(copy))).toBe(true);
      expect(isSameJson([copy], [[copy]])).toBe(false);
      expect(isSameJson({ a: copy }, { a: copy, b: 1 })).toBe(false);
    }),
  );
});

test('lists are the same only in the same order', () => {
  expect(isSameJson([1, 2], [2, 1])).toBe(false);
  expect(isSameJson(['a'], { 0: 'a' })).toBe(false);
});

test('what is nested without end is not followed', () => {
  expect(isSameJson(deep(), deep())).toBe(false);
});
