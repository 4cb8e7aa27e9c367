import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance } from '../../base/nearest.js';
import { StringTable, writeStrings } from './string-table.js';
import { keyOf, TermTable } from './term-table.js';

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '9', 'ж', '文'), minLength: 1, maxLength: 10 });
const texts = fc.uniqueArray(text, { maxLength: 40 });

function toTable(words: readonly string[]): { sorted: readonly string[]; table: TermTable } {
  const sorted = words.toSorted();
  const units = new Uint16Array(sorted.join('').length);
  const starts = new Uint32Array(sorted.length + 1);
  writeStrings(sorted, units, starts);
  return { sorted, table: new TermTable(new StringTable(units, starts)) };
}

test('a word is found where it is, and nowhere when it is not there', () => {
  fc.assert(
    fc.property(texts, text, (words, wanted) => {
      const { sorted, table } = toTable(words);
      for (const word of [...words, wanted]) expect(table.find(word, keyOf(word))).toBe(sorted.indexOf(word));
    }),
  );
});

test('the words that begin with another are those that do', () => {
  fc.assert(
    fc.property(texts, text, (words, start) => {
      const { sorted, table } = toTable(words);
      const { from, to } = table.startingWith(start);
      const expected = sorted.filter((word) => word.startsWith(start) && word !== start);
      expect(sorted.slice(from, to)).toEqual(expected);
    }),
  );
});

test('the words that look like another are as far from it as the distance of edits says', () => {
  fc.assert(
    fc.property(texts, text, fc.constantFrom(1, 2), (words, wanted, distance) => {
      const { sorted, table } = toTable(words.filter((word) => word !== wanted));
      const found = table.near(wanted, { distance, budget: { left: Infinity } });
      const expected = sorted.flatMap((word, term) => {
        const edits = editDistance(wanted, word, distance);
        return edits <= distance ? [{ term, edits }] : [];
      });
      expect(found).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});
