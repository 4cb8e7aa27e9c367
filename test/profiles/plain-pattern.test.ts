import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPlainPattern } from '../../src/model/profiles/plain-pattern.js';

test.each([
  '',
  '^[a-z0-9_.-]{1,20}$',
  String.raw`^\d{4}-\d{2}-\d{2}(?:T\d+)?$`,
  String.raw`^[^@\s]+@[^@\s]+\.[a-z]{2,}$`,
  '(a|b)*?c+',
  String.raw`[\w.+*]+`,
  '^(GET|POST)$',
  'größe',
])('every engine reads %s', (pattern) => {
  expect(isPlainPattern(pattern)).toBe(true);
});

test.each([
  '(?=a)',
  '(?!a)',
  '(?<=a)b',
  '(?<name>a)',
  '(?i)a',
  String.raw`\p{L}`,
  String.raw`\u{1F600}`,
  String.raw`(a)\1`,
  '([',
  '[]',
  '[^]',
  '[z-a]',
  String.raw`[\w-z]`,
  'a{2,1}',
  'a{9999}',
  'a**',
  'a++',
  '*a',
  '(*)',
  'a{',
  '}',
  ']',
  ')',
  '(',
  '\\',
])('some engine does not read %s', (pattern) => {
  expect(isPlainPattern(pattern)).toBe(false);
});

test('what is called plain is a pattern at least here, in both ways of reading it', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...String.raw`ab09[]()^-{}*+?|\.,:dwsbBp`.split('')), maxLength: 12 }),
      (pattern) => {
        fc.pre(isPlainPattern(pattern));
        expect(() => new RegExp(pattern)).not.toThrow();
      },
    ),
    { numRuns: 5_000 },
  );
});
