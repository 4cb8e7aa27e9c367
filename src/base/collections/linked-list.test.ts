import { expect, test } from 'vitest';
import { LinkedList } from './linked-list.js';

test('values stay in the order in which they came, whoever leaves', () => {
  const list = new LinkedList<string>();
  const [a, b, c] = ['a', 'b', 'c'].map((value) => list.add(value));
  expect([list.values(), list.size, list.first, list.last]).toEqual([['a', 'b', 'c'], 3, 'a', 'c']);
  b![Symbol.dispose]();
  expect([list.values(), list.size]).toEqual([['a', 'c'], 2]);
  c![Symbol.dispose]();
  list.add('d');
  a![Symbol.dispose]();
  expect([list.values(), list.first, list.last]).toEqual([['d'], 'd', 'd']);
});

test('what has left cannot leave twice', () => {
  const list = new LinkedList<number>();
  const one = list.add(1);
  list.add(2);
  one[Symbol.dispose]();
  one[Symbol.dispose]();
  expect([list.values(), list.size]).toEqual([[2], 1]);
});

test('an emptied list can be used again, and the links of before are out', () => {
  const list = new LinkedList<number>();
  const links = [1, 2, 3].map((value) => list.add(value));
  list.clear();
  expect([list.values(), list.size, list.first, list.last]).toEqual([[], 0, undefined, undefined]);
  for (const link of links) link[Symbol.dispose]();
  list.add(4);
  expect([list.values(), list.size]).toEqual([[4], 1]);
});

test('the oldest is taken first, and the newest is found first', () => {
  const list = new LinkedList<number>();
  for (const value of [1, 2, 3, 4]) list.add(value);
  expect(list.findLast((value) => value % 2 === 1)).toBe(3);
  expect(list.findLast((value) => value > 4)).toBeUndefined();
  expect([list.shift(), list.shift(), list.values()]).toEqual([1, 2, [3, 4]]);
  list.clear();
  expect([list.shift(), list.size]).toEqual([undefined, 0]);
});
