import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Lru } from './lru.js';

test('what was used last stays, what was not goes', () => {
  const lru = new Lru<number>({ count: 2, size: 100 });
  lru.set('a', 1);
  lru.set('b', 2);
  expect(lru.get('a')).toBe(1);
  lru.set('c', 3);
  expect([lru.get('a'), lru.get('b'), lru.get('c')]).toEqual([1, undefined, 3]);
});

test('one that is too large for all is not kept, and takes its older self with it', () => {
  const lru = new Lru<string>({ count: 10, size: 100 });
  lru.set('a', 'small', 1);
  lru.set('a', 'large', 101);
  expect(lru.get('a')).toBeUndefined();
  expect(lru.size).toBe(0);
});

test('whatever happens to it, it stays within its limits and keeps the newest', () => {
  const step = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), size: fc.nat(12), isSet: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const lru = new Lru<number>({ count: 3, size: 20 });
      for (const { key, size, isSet } of steps) {
        if (isSet) lru.set(key, size, size);
        const found = lru.get(key);
        expect(found === undefined ? !isSet : found <= 12).toBe(true);
        expect(lru.count).toBeLessThanOrEqual(3);
        expect(lru.size).toBeLessThanOrEqual(20);
      }
      lru.clear();
      expect([lru.count, lru.size]).toEqual([0, 0]);
    }),
  );
});
