import { expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { AbandonedRequests } from './abandoned-requests.js';

function abandon(limits = { principal: 2, all: 3, ms: 1_000 }) {
  const clock = new FakeClock();
  const requests = new AbandonedRequests(clock, limits);
  const cancelled: string[] = [];
  const read = new Set<string>();
  const leave = (name: string, principal = 'me'): Disposable =>
    requests.add({ principal, isRead: () => read.has(name), cancel: () => void cancelled.push(name) });
  return { clock, requests, cancelled, read, leave };
}

test('a call that nobody comes back for is cancelled when its time is over', async () => {
  const { clock, cancelled, leave } = abandon();
  leave('a');
  await clock.pass(600);
  leave('b');
  expect(clock.timers).toBe(1);
  await clock.pass(400);
  expect(cancelled).toEqual(['a']);
  await clock.pass(600);
  expect([cancelled, clock.timers]).toEqual([['a', 'b'], 0]);
});

test('a call that has its response is not cancelled', async () => {
  const { clock, cancelled, leave } = abandon();
  leave('a')[Symbol.dispose]();
  await clock.pass(2_000);
  expect([cancelled, clock.timers]).toEqual([[], 0]);
});

test('a client that comes back and leaves again has its call cancelled later', async () => {
  const { clock, cancelled, read, leave } = abandon();
  leave('a');
  read.add('a');
  await clock.pass(3_500);
  expect(cancelled).toEqual([]);
  read.delete('a');
  await clock.pass(1_000);
  expect(cancelled).toEqual(['a']);
});

test('a client that leaves again and again has its own oldest call cancelled, and no other', async () => {
  const { cancelled, leave } = abandon();
  leave('yours', 'you');
  for (const name of ['a', 'b', 'c', 'd']) leave(name);
  expect(cancelled).toEqual(['a', 'b']);
  leave('other', 'they');
  expect(cancelled).toEqual(['a', 'b', 'yours']);
});

test('nothing is cancelled after the end', async () => {
  const { clock, requests, cancelled, leave } = abandon();
  leave('a');
  requests[Symbol.dispose]();
  await clock.pass(2_000);
  expect([cancelled, clock.timers]).toEqual([[], 0]);
});
