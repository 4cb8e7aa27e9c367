import { expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { AbandonedRequests } from './abandoned-requests.js';

function abandon(limits = { principal: 2, all: 3, ms: 1_000 }) {
  const clock = new FakeClock();
  const requests = new AbandonedRequests(clock, limits);
  const cancelled: string[] = [];
  /** When each client left, where it has come back since; undefined: it reads. */
  const unread = new Map<string, number | undefined>();
  const leave = (name: string, principal = 'me'): Disposable => {
    unread.set(name, clock.monotonic());
    return requests.add({ principal, unreadSince: () => unread.get(name), cancel: () => void cancelled.push(name) });
  };
  return { clock, requests, cancelled, unread, leave };
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
  const { clock, cancelled, unread, leave } = abandon();
  leave('a');
  unread.set('a', undefined);
  await clock.pass(3_500);
  expect(cancelled).toEqual([]);
  unread.set('a', clock.monotonic());
  leave('b');
  await clock.pass(999);
  expect(cancelled).toEqual([]);
  await clock.pass(1);
  expect([cancelled, clock.timers]).toEqual([['a', 'b'], 0]);
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
