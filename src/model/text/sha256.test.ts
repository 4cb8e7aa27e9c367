import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256Hex } from './sha256.js';

test('a digest is the one that every other tool gives, whatever the length', () => {
  for (let length = 0; length < 200; length++) check('a'.repeat(length));
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), check));
});

function check(text: string): void {
  expect(sha256Hex(text)).toBe(createHash('sha256').update(text).digest('hex'));
}
