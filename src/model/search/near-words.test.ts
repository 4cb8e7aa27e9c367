import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance } from '../../base/nearest.js';
import { isWithinEdits, mayBeWithin, toLetters } from './near-words.js';

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '9', 'ж', '文'), minLength: 1, maxLength: 10 });

test('two words are as close as the distance of edits says, and none that is close is ruled out beforehand', () => {
  fc.assert(
    fc.property(text, text, fc.constantFrom(1, 2), (a, b, edits) => {
      const isClose = editDistance(a, b, edits) <= edits;
      expect(isWithinEdits(a, b, edits)).toBe(isClose);
      const isKept = mayBeWithin(Int32Array.of(toLetters(a)), toLetters(b), edits).length > 0;
      expect(isKept || !isClose).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
