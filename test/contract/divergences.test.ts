import { expect, test } from 'vitest';
import {
  type Behaviour,
  type Era,
  eras as allEras,
  expectedOf,
  isPossible,
  type Place,
  type Transport,
} from './behaviour.js';
import { behaviours } from './behaviours/all.js';
import type { Divergence } from './divergence.js';
import { divergenceOf, divergences } from './divergences.js';

const titles = behaviours.map(({ title }) => title);

test('no two behaviours have one title', () => {
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
});

test.each(divergences.map((one) => [one.behaviour, one] as const))(
  'a divergence is one from what we do: %s',
  (_, one) => {
    check(one);
  },
);

/** Checks that the behaviour runs there, that `ours` is what it expects, and that `oracle` is something else. */
function check(divergence: Divergence): void {
  const { behaviour: title, transports, eras, ours, oracle, reason } = divergence;
  const behaviour = behaviours.find((one) => one.title === title)!;
  expect(titles).toContain(title);
  expect(oracle).not.toEqual(ours);
  expect(reason).toMatch(/\.$/u);
  for (const transport of transports) expect(placesOf(behaviour, { transports: [transport], eras })).not.toEqual([]);
  for (const era of eras ?? []) expect(placesOf(behaviour, { transports, eras: [era] })).not.toEqual([]);
  for (const place of placesOf(behaviour, divergence)) {
    // Of two divergences for the same place only the first would count.
    expect(divergenceOf(behaviour, place)).toBe(divergence);
    expect(ours).toEqual(expectedOf(behaviour, place));
  }
}

interface Range {
  readonly transports: readonly Transport[];
  readonly eras?: readonly Era[] | undefined;
}

/** The places to which a divergence applies. */
function placesOf(behaviour: Behaviour, { transports, eras = allEras }: Range): Place[] {
  return transports
    .flatMap((transport) => eras.map((era) => ({ server: 'fixture' as const, transport, era })))
    .filter((place) => isPossible(behaviour, place));
}
