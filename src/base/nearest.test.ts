import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editDistance, nearest } from './nearest.js';

const known = ['list', 'add', 'add-json', 'remove', 'get', 'approve', 'import', 'doctor', 'enable', 'disable'];

describe('a mistyped word finds the one that was meant', () => {
  test.each<[typed: string, found: readonly string[]]>([
    ['lsit', ['list']],
    ['LIST', ['list']],
    ['lis', ['list']],
    ['remvoe', ['remove']],
    ['ad', ['add', 'add-json']],
    ['disabel', ['disable']],
    ['enabled', ['enable']],
    ['aprove', ['approve']],
    ['doc', ['doctor']],
    ['completely-else', []],
    ['x', []],
    ['', []],
  ])('%j finds %j', (typed, found) => expect(nearest(typed, known)).toEqual(found));

  test('at most three, the best first, equals by name', () => {
    expect(nearest('ab', ['abz', 'aby', 'abx', 'abw', 'ab'])).toEqual(['ab', 'abw', 'abx']);
  });

  test('a name of a megabyte is compared by its beginning', () => {
    expect(nearest('x'.repeat(1_000_000), ['y'.repeat(1_000_000), 'x'.repeat(70)])).toEqual(['x'.repeat(70)]);
  });
});

describe('the distance between two words', () => {
  test.each<[a: string, b: string, distance: number]>([
    ['', '', 0],
    ['a', '', 1],
    ['abc', 'abc', 0],
    ['abc', 'acb', 1],
    ['abc', 'ab', 1],
    ['abc', 'xabc', 1],
    ['abc', 'axc', 1],
    ['kitten', 'sitting', 3],
    ['abcd', 'badc', 2],
  ])('%j to %j is %i', (a, b, distance) => expect(editDistance(a, b, 9)).toBe(distance));

  test('is the same both ways, zero only for the same word, and never more than the longer one', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b, 9);
        expect(editDistance(b, a, 9)).toBe(distance);
        expect(distance === 0).toBe(a === b);
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      }),
    );
  });

  test('beyond the limit it is only too far', () => expect(editDistance('a', 'abcdef', 2)).toBeGreaterThan(2));
});
