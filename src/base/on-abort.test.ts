import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { onAbort } from './on-abort.js';

test('thousands wait for one signal through one listener, in the order in which they came', () => {
  const stop = new AbortController();
  const ran: number[] = [];
  const all = Array.from({ length: 5_000 }, (_, index) => onAbort(stop.signal, () => ran.push(index)));
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
  for (const one of all.slice(3)) one[Symbol.dispose]();
  stop.abort();
  expect(ran).toEqual([0, 1, 2]);
});

test('the last one that leaves takes the listener away; leaving twice is fine, and others may come again', () => {
  const stop = new AbortController();
  const ran: string[] = [];
  const run = (): void => void ran.push('ran');
  const [first, second] = [onAbort(stop.signal, run), onAbort(stop.signal, run)];
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
  second[Symbol.dispose]();
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  onAbort(stop.signal, run);
  stop.abort();
  expect([ran, getEventListeners(stop.signal, 'abort')]).toEqual([['ran'], []]);
});

test('one that another takes back while the signal aborts does not run', () => {
  const stop = new AbortController();
  const ran: string[] = [];
  onAbort(stop.signal, () => {
    ran.push('first');
    second[Symbol.dispose]();
  });
  const second = onAbort(stop.signal, () => ran.push('second'));
  onAbort(stop.signal, () => ran.push('third'));
  stop.abort();
  expect(ran).toEqual(['first', 'third']);
});

test('nothing runs for a signal that has aborted already, or for none', () => {
  onAbort(AbortSignal.abort(), () => expect.unreachable());
  expect(onAbort(undefined, () => expect.unreachable())).toBeUndefined();
});

test('one that throws is uncaught, as with a listener of its own, and keeps no other from running', async () => {
  const stop = new AbortController();
  const ran: string[] = [];
  onAbort(stop.signal, () => {
    throw new Error('a mistake');
  });
  onAbort(stop.signal, () => ran.push('ran'));
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  const uncaught = new Promise((resolve) => process.once('uncaughtException', resolve));
  try {
    stop.abort();
    expect([ran, await uncaught]).toEqual([['ran'], new Error('a mistake')]);
  } finally {
    for (const listener of others) process.on('uncaughtException', listener);
  }
});
