import { expect, test } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.js';
import { Slots } from './slots.js';

const { signal } = new AbortController();

/** Requests `count` slots and records the indexes of the requests that got one, in order. */
function line(slots: Slots, count: number): { has: number[]; taken: ReturnType<Slots['take']>[] } {
  const has: number[] = [];
  const taken = Array.from({ length: count }, (_, index) =>
    slots.take(signal).then((slot) => {
      has.push(index);
      return slot;
    }),
  );
  return { has, taken };
}

test('a server that says nothing holds up those behind it for 150 ms at most', async () => {
  const clock = new FakeClock();
  const { has } = line(new Slots({ limit: 3, isStrict: false, clock }), 7);
  await clock.pass(149);
  expect(has).toEqual([0, 1, 2]);
  await clock.pass(1);
  expect(has).toEqual([0, 1, 2, 3, 4, 5]);
  await clock.pass(150);
  expect(has).toHaveLength(7);
});

test('the first word of a server makes room for the next one', async () => {
  const clock = new FakeClock();
  const { has, taken } = line(new Slots({ limit: 1, isStrict: false, clock }), 3);
  (await taken[0])!.received();
  (await taken[0])!.release();
  await clock.pass(0);
  expect(has).toEqual([0, 1]);
});

test('a limit that somebody has set holds until a server is connected, however long that takes', async () => {
  const clock = new FakeClock();
  const { has, taken } = line(new Slots({ limit: 2, isStrict: true, clock }), 3);
  (await taken[0])!.received();
  await clock.pass(100_000);
  expect(has).toEqual([0, 1]);
  (await taken[1])!.release();
  (await taken[1])!.release();
  await clock.pass(0);
  expect(has).toEqual([0, 1, 2]);
});

test('whoever no longer wants a slot makes no one wait', async () => {
  const clock = new FakeClock();
  const slots = new Slots({ limit: 1, isStrict: true, clock });
  const first = await slots.take(signal);
  const leaving = new AbortController();
  const left = slots.take(leaving.signal);
  const next = slots.take(signal);
  leaving.abort();
  await expect(left).rejects.toThrow('no longer wanted');
  first.release();
  expect(await next).toBeDefined();
});
