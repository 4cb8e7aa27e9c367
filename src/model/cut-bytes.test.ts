import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutBytes } from './cut-bytes.js';

test('what comes out fits, is a beginning, and could not be a character longer', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat({ max: 60 }), (text, limit) => {
      const cut = cutBytes(text, limit);
      expect(text.startsWith(cut)).toBe(true);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(limit);
      const [next = ''] = text.slice(cut.length);
      expect(cut === text || Buffer.byteLength(cut + next) > limit).toBe(true);
    }),
  );
});
