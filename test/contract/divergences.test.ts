import { expect, test } from 'vitest';
import { expectedOf, isPossible } from './behaviour.js';
import { behaviours } from './behaviours/all.js';
import { type Divergence, divergences } from './divergences.js';

const titles = behaviours.map(({ title }) => title);

test('no two behaviours have one title', () => {
  expect(new Set(titles).size).toBe(titles.length);
});

test('no two divergences are about the same', () => {
  const subjects = divergences.flatMap(({ behaviour, transports }) => transports.map((one) => `${one}: ${behaviour}`));
  expect(subjects.filter((subject, index) => subjects.indexOf(subject) !== index)).toEqual([]);
});

test.each(divergences.map((one) => [one.behaviour, one] as const))(
  'a divergence is one from what we do: %s',
  (_, one) => {
    check(one);
  },
);

/** It names a behaviour that is run there, tells what we do, and that the oracle does something else. */
function check({ behaviour: title, transports, ours, oracle, reason }: Divergence): void {
  const behaviour = behaviours.find((one) => one.title === title)!;
  expect(titles).toContain(title);
  expect(oracle).not.toEqual(ours);
  expect(reason).toMatch(/\.$/u);
  for (const transport of transports) {
    expect(isPossible(behaviour, 'fixture', transport)).toBe(true);
    expect(ours).toEqual(expectedOf(behaviour, transport));
  }
}
