import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffLines } from './line-diff.js';

function check(before: string, after: string, expected: string): void {
  const lines = diffLines(before === '' ? [] : before.split(' '), after === '' ? [] : after.split(' '), 1);
  expect(lines.map(({ sign, text }) => `${sign}${text}`).join(' ')).toBe(expected);
}

test.each([
  ['', '', ''],
  ['a b', 'a b', ''],
  ['', 'a b', '+a +b'],
  ['a b', '', '-a -b'],
  ['a b c', 'a x c', ' a -b +x  c'],
  ['a b c d e f g', 'a x c d e y g', ' a -b +x  c …  e -f +y  g'],
  ['a a', 'a', ' a -a'],
  ['a', 'a a a', ' a +a +a'],
  ['1 2 3 4 5', '1 2 3 4 6', '…  4 -5 +6'],
])('from "%s" to "%s" it is "%s"', check);

test('both texts can be had from their difference, however long they are', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after, 100);
      const side = (sign: string): string[] =>
        lines.filter((line) => line.sign === ' ' || line.sign === sign).map((line) => line.text);
      expect([side('-'), side('+')]).toEqual(isDeepStrictEqual(before, after) ? [[], []] : [before, after]);
    }),
    { numRuns: 300 },
  );
  const [many, others] = ['x', 'y'].map((letter) => Array.from({ length: 5_000 }, (_, at) => `${letter}${at}`));
  expect(diffLines(many!, others!)).toHaveLength(10_000);
});
