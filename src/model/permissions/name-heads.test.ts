import { assert, constantFrom, property, string, uniqueArray } from 'fast-check';
import { expect, test } from 'vitest';
import { nameHeads } from './name-heads.js';
import { areRivals } from './rivals.js';
import { longerNames } from './subject.js';

const name = string({ unit: constantFrom('a', 'b', '_', ' ', '.', '-'), minLength: 1, maxLength: 6 });

test('looking at servers whose names begin alike finds all that rules could confuse', () => {
  assert(
    property(uniqueArray(name, { minLength: 1, maxLength: 8 }), (servers) => {
      const alike = nameHeads(servers);
      for (const server of servers) {
        const near = [...alike(server)];
        const rivals = (names: readonly string[]): string[] => names.filter((one) => areRivals(server, one)).toSorted();
        expect(rivals(near)).toEqual(rivals(servers));
        expect(longerNames(server, near).toSorted()).toEqual(longerNames(server, servers).toSorted());
      }
    }),
  );
});

test('a server is compared with those alone whose names begin like its own', () => {
  const alike = nameHeads(['x', 'x__y', 'x_', 'y', 'x y', 'xy']);
  expect([...alike('x')]).toEqual(['x', 'x__y', 'x_']);
  expect([...alike('y')]).toEqual(['y']);
});
