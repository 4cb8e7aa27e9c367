import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutBytes } from './cut-bytes.js';

test('what comes out fits, is whole or ends in a mark behind a beginning, and could not be a character longer', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 3, max: 60 }), (text, limit) => {
      const cut = cutBytes(text, limit);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(limit);
      expect(cut === text).toBe(Buffer.byteLength(text) <= limit);
      const kept = cut === text ? text : cut.slice(0, -1);
      expect(text.startsWith(kept)).toBe(true);
      const [next = ''] = text.slice(kept.length);
      expect(cut === text || (cut.endsWith('…') && Buffer.byteLength(`${kept}${next}…`) > limit)).toBe(true);
    }),
  );
});

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdefg', 6, 'abc…'],
  ['äöü', 6, 'äöü'],
  ['äöüß', 7, 'äö…'],
  ['😀😀', 7, '😀…'],
  ['abcdef', 2, 'ab'],
  ['abcdef', 0, ''],
])('%j in %i bytes is %j', (text, limit, expected) => expect(cutBytes(text, limit)).toBe(expected));
