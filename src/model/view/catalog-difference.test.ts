import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { difference } from './catalog-difference.js';

const list = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e', '__proto__'), fc.constantFrom('1', '2')))
  .map((rows) => new Map<string, string>(rows));

test('a difference, applied to what was there, gives the names that are there now', () => {
  fc.assert(
    fc.property(list, list, (before, after) => {
      const { added, removed, changed } = difference(before, after) ?? { added: [], removed: [], changed: [] };
      const names = new Set(before.keys());
      for (const name of removed) expect(names.delete(name)).toBe(true);
      for (const name of added) expect(names.size).toBeLessThan(names.add(name).size);
      expect([...names].toSorted()).toEqual([...after.keys()].toSorted());
      for (const [name, check] of after) {
        expect(changed.includes(name)).toBe(before.has(name) && before.get(name) !== check);
      }
    }),
  );
});

test('the same things in another order are no difference', () => {
  fc.assert(
    fc.property(list, (one) => {
      expect(difference(one, new Map([...one].toReversed()))).toBeUndefined();
    }),
  );
});

test('what is new, gone and changed is told in the order in which it stands', () => {
  const before = new Map([
    ['gone', '1'],
    ['same', '1'],
    ['other', '1'],
    ['lost', '1'],
  ]);
  const after = new Map([
    ['new', '1'],
    ['other', '2'],
    ['same', '1'],
    ['late', '1'],
  ]);
  expect(difference(before, after)).toEqual({ added: ['new', 'late'], removed: ['gone', 'lost'], changed: ['other'] });
});
