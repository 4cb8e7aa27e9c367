import { expect, test } from 'vitest';
import { turn } from '../../test/fake-clock.js';
import { Watched } from './watched.js';

test('whoever watches is told of each new state at once, in order, until it is disposed of', () => {
  const state = new Watched('idle');
  const told: string[] = [];
  const tell = (value: string, before: string): void => void told.push(`${before} > ${value}`);
  const [first, second] = [state.watch(tell), state.watch((value) => told.push(`second: ${value}`))];
  const third = state.watch(tell); // the same function, once more
  state.set('pending');
  first[Symbol.dispose]();
  second[Symbol.dispose]();
  state.set('pending'); // no change
  state.set('connected');
  third[Symbol.dispose]();
  state.set('failed');
  expect(told).toEqual(['idle > pending', 'second: pending', 'idle > pending', 'pending > connected']);
  expect(state.value).toBe('failed');
});

test('a listener that sets the next state does so before the others hear of the old one', () => {
  const state = new Watched(0);
  const told: string[] = [];
  state.watch((value) => value === 1 && state.set(2));
  state.watch((value, before) => told.push(`${before} > ${value}`));
  state.set(1);
  expect([told, state.value]).toEqual([['1 > 2'], 2]);
});

test('a state that a listener sets and takes back is told once each time', () => {
  const state = new Watched('on');
  const told: string[] = [];
  state.watch((value, before) => {
    if (value === 'off' && before === 'on') state.set('broken');
    if (value === 'broken') state.set('off');
  });
  state.watch((value) => told.push(value));
  state.set('off');
  expect([told, state.value]).toEqual([['off'], 'off']);
});

test('one that another listener takes back is not told any more', () => {
  const state = new Watched(0);
  state.watch(() => second[Symbol.dispose]());
  const second = state.watch(() => expect.unreachable());
  state.set(1);
  expect(state.value).toBe(1);
});

test('a listener that throws keeps neither the others nor those who wait from the new state', async () => {
  const state = new Watched(0);
  const told: number[] = [];
  const waiting = state.until((value) => value === 1);
  state.watch(() => {
    throw new Error('a mistake');
  });
  state.watch((value) => told.push(value));
  expect(() => state.set(1)).toThrow('a mistake');
  expect([told, await waiting]).toEqual([[1], 1]);
});

test('a state that is there already is not waited for', async () => {
  expect(await new Watched(3).until((value) => value === 3)).toBe(3);
});

test('a state that passes within a turn was never there for those who wait', async () => {
  const state = new Watched('pending');
  let seen: string | undefined;
  void state.until((value) => value !== 'pending').then((value) => (seen = value));
  state.set('connected');
  state.set('pending');
  await turn();
  expect(seen).toBeUndefined();
  state.set('connected');
  state.set('reading');
  await turn();
  expect(seen).toBe('reading');
});

test('all who wait go on in the order in which they came, each at the state it waits for', async () => {
  const state = new Watched(0);
  const order: string[] = [];
  const waiting = [1, 2, 1].map((least, index) =>
    state.until((value) => value >= least).then((value) => order.push(`${index} at ${value}`)),
  );
  state.set(1);
  await turn();
  state.set(2);
  await Promise.all(waiting);
  expect(order).toEqual(['0 at 1', '2 at 1', '1 at 2']);
});
