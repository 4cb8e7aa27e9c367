import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { IdTable } from './id-table.js';

test('it holds what a Map would hold, whatever comes and goes', () => {
  // Few ids, and ids with the same slot, to cause collisions.
  const id = fc.oneof(
    fc.integer({ min: 1, max: 40 }),
    fc.integer({ min: 1, max: 5 }).map((high) => high << 20),
    fc.integer({ min: 1, max: 0x7fff_ffff }),
  );
  const step = fc.record({ id, take: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const table = new IdTable<string>();
      const map = new Map<number, string>();
      for (const [index, one] of steps.entries()) {
        const taken = one.take ? table.take(one.id) : undefined;
        expect(taken).toBe(one.take ? map.get(one.id) : undefined);
        if (one.take) map.delete(one.id);
        else if (!map.has(one.id)) {
          table.add(one.id, `v${index}`);
          map.set(one.id, `v${index}`);
        }
        expect(table.size).toBe(map.size);
      }
      for (const one of steps)
        expect([table.has(one.id), table.get(one.id)]).toEqual([map.has(one.id), map.get(one.id)]);
      expect(new Map(table.entries())).toEqual(map);
    }),
  );
});

test('an id that no integer of ours is is nowhere', () => {
  const table = new IdTable<string>();
  table.add(5, 'five');
  for (const id of [0, -1, 5.5, Number.NaN, 1e308, 2 ** 32 + 5]) expect(table.get(id)).toBeUndefined();
});
