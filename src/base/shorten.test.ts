import { expect, test } from 'vitest';
import { shorten } from './shorten.js';

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc…'],
  ['', 0, ''],
  ['a', 0, '…'],
  ['ab😀', 4, 'ab😀'],
  ['ab😀c', 4, 'ab😀…'],
  ['ab😀c', 3, 'ab…'],
])('%j in %i characters is %j', (text, length, expected) => expect(shorten(text, length)).toBe(expected));
