import { expect, test } from 'vitest';
import { measure, parseCostOf } from './json-bounds.js';

test.each([
  ['{"a":[1,2,{"b":"x"}]}', { depth: 3, nodes: 6 }],
  ['[[],[],{}]', { depth: 2, nodes: 4 }],
  ['"[[[[,,,,"', { depth: 0, nodes: 1 }],
  [`"${'x'.repeat(200)}\\"[[${'y'.repeat(200)}"`, { depth: 0, nodes: 1 }],
  ['', { depth: 0, nodes: 1 }],
])('%s measures %j', (text, expected) => {
  expect(measure(text)).toEqual(expected);
});

const cost = (text: string): number => {
  const began = process.cpuUsage();
  for (let round = 0; round < 3; round++) parseCostOf(text);
  const { user, system } = process.cpuUsage(began);
  return user + system;
};

test.each([
  ['escapes everywhere', (size: number) => JSON.stringify({ text: '\u001B[31m'.repeat(size / 10) })],
  ['many long strings', (size: number) => JSON.stringify(Array.from({ length: size / 100 }, () => 'x'.repeat(97)))],
  ['quotes everywhere', (size: number) => JSON.stringify({ text: '"['.repeat(size / 3) })],
  ['backslashes everywhere', (size: number) => JSON.stringify({ text: '\\['.repeat(size / 3) })],
])('a text of %s costs in proportion to its length', (_, make) => {
  cost(make(300_000));
  // Ten times the length: a quadratic cost would be a hundred times as high.
  expect(cost(make(3_000_000))).toBeLessThan(40 * Math.max(cost(make(300_000)), 1_000));
});
