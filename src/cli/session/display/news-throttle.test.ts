import { expect, test } from 'vitest';
import { NewsThrottle } from './news-throttle.js';

test('a server that changes all the time is told of a few times a minute, and nobody else is silenced by it', () => {
  let now = 0;
  const throttle = new NewsThrottle(() => now);
  const told: string[] = [];
  for (; now < 60_000; now += 500) told.push(throttle.next('busy'));
  expect(told.slice(0, 4)).toEqual(['tell', 'tell', 'tell', 'last']);
  expect(new Set(told.slice(4))).toEqual(new Set(['silent']));
  expect(throttle.next('calm')).toBe('tell');
  now += 60_000;
  expect(throttle.next('busy')).toBe('tell');
});
