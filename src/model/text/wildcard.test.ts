import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../../test/any-character.js';
import { matchesWildcard } from './wildcard.js';

function check(pattern: string, text: string, expected: boolean): void {
  expect(matchesWildcard(pattern, text)).toBe(expected);
}

describe('a pattern matches', () => {
  test.each([
    ['', ''],
    ['a', 'a'],
    ['*', ''],
    ['*', 'anything at all\nand more'],
    ['**', ''],
    ['a*', 'a'],
    ['a*', 'abc'],
    ['*c', 'abc'],
    ['a*c', 'ac'],
    ['a*c', 'abcbc'],
    ['*b*', 'abc'],
    ['a*b*c', 'aXbYc'],
    ['a**c', 'abc'],
    ['*a*a*', 'aa'],
    ['ab*ba', 'abba'],
    ['*.example.com', 'a.b.example.com'],
    ['a*🙂', 'a🙂🙂'],
    ['a.c', 'a.c'],
    ['(a|b)+?[c]{1}^$\\d', '(a|b)+?[c]{1}^$\\d'],
  ])('%j on %j', (pattern, text) => check(pattern, text, true));
});

describe('a pattern does not match', () => {
  test.each([
    ['', 'a'],
    ['a', ''],
    ['a', 'A'],
    ['a', 'ab'],
    ['a', 'ba'],
    ['a*', 'ba'],
    ['*a', 'ab'],
    ['ab*ba', 'aba'],
    ['a*a', 'a'],
    ['*a*a*', 'a'],
    ['a*b*c', 'acb'],
    ['*ab*ab', 'ab'],
    ['*.example.com', 'example.com'],
    ['a.c', 'abc'],
    ['a?c', 'abc'],
    ['[ab]', 'a'],
    ['a+', 'aa'],
    ['.*', 'abc'],
    ['\\*', 'a'],
  ])('%j on %j', (pattern, text) => check(pattern, text, false));
});

describe('patterns made to be slow give the right answer', () => {
  const long = 'a'.repeat(10_000);
  test.each<[what: string, pattern: string, text: string, expected: boolean]>([
    ['a*a*a*b without a b', 'a*a*a*b', long, false],
    ['a*a*a*b with a b', 'a*a*a*b', `${long}b`, true],
    ['forty stars that match', `${'a*'.repeat(40)}a`, long, true],
    ['forty stars that do not', `${'a*'.repeat(40)}b`, long, false],
    ['forty stars and nothing else', '*'.repeat(40), long, true],
    ['five thousand stars', '*a'.repeat(5000), long, true],
    ['one a too many', '*a'.repeat(10_001), long, false],
    ['a long middle that is nowhere', `*${'a'.repeat(5000)}b*`, long, false],
    ['forty long middles', `*${'ab*'.repeat(40)}`, 'ab'.repeat(5000), true],
  ])('%s', (_, pattern, text, expected) => check(pattern, text, expected));
});

const few = fc.constantFrom('a', 'b', '.', '*');

test('a pattern means what the regular expression with its stars as .* means', () => {
  fc.assert(
    fc.property(fc.string({ unit: few, maxLength: 8 }), fc.string({ unit: few, maxLength: 10 }), (pattern, text) => {
      const source = pattern.split('*').map((piece) => piece.replaceAll('.', '\\.'));
      check(pattern, text, new RegExp(`^${source.join('.*')}$`, 'su').test(text));
    }),
    { numRuns: 3000 },
  );
});

test('filling the stars of a pattern with anything gives a text that it matches', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: anyCharacter }), { minLength: 1 }), fc.string(), (pieces, filling) => {
      const literal = pieces.map((piece) => piece.replaceAll('*', ''));
      check(literal.join('*'), literal.join(filling), true);
    }),
  );
});
