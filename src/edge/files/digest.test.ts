import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../test/any-character.js';
import { digest, digestMany } from './digest.js';

test('a text has one digest, however it is made', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 2_500 }), (text) => {
      expect(digest(text)).toBe(digestMany(text));
    }),
  );
  expect(digest('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});
