import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.js';
import { HostError } from '../../base/errors.js';
import { Secret } from '../../base/secret.js';
import { Backoff, type Freshness, freshnessOf } from './token-freshness.js';

const HOUR = 3_600_000;
const then = Date.UTC(2026, 10, 1);

describe('a token of one hour', () => {
  test.each<[title: string, after: number, expected: Freshness]>([
    ['is good when it is new', 0, 'fresh'],
    ['is good until a minute before its end', HOUR - 60_001, 'fresh'],
    ['is refreshed in its last minute', HOUR - 60_000, 'due'],
    ['is over when its time is', HOUR, 'expired'],
    ['is over when the date jumps ten years ahead', 10 * 365 * 24 * HOUR, 'expired'],
    ['is left to the server when the date jumps back an hour', -HOUR, 'fresh'],
    ['is good when the date is corrected by seconds', -5000, 'fresh'],
  ])('%s', (_, after, expected) => check(HOUR, after, expected));
});

describe('other tokens', () => {
  test.each<[title: string, life: number | undefined, after: number, expected: Freshness]>([
    ['one without an end is good for ever', undefined, 10 * HOUR, 'fresh'],
    ['one of ten seconds is refreshed in its last second only', 10_000, 8999, 'fresh'],
    ['one of ten seconds is refreshed in its last second', 10_000, 9000, 'due'],
    ['one that was over before it came is left to the server', -5000, 0, 'fresh'],
    ['one of no time at all is left to the server', 0, HOUR, 'fresh'],
  ])('%s', (_, life, after, expected) => check(life, after, expected));
});

function check(life: number | undefined, after: number, expected: Freshness): void {
  const expiresAt = life === undefined ? undefined : then + life;
  const tokens = { accessToken: new Secret('a'), type: 'Bearer', obtainedAt: then, expiresAt } as const;
  expect(freshnessOf(tokens, then + after)).toBe(expected);
}

test('failures are followed by 1 s, 2 s, 4 s and at most 60 s of rest, and a success by none', async () => {
  const clock = new FakeClock();
  const backoff = new Backoff(clock);
  const error = new HostError('sign-in-failed', 'broken');
  const rests: number[] = [];
  for (let round = 0; round < 8; round++) {
    backoff.failed(error);
    let rest = 0;
    for (; backoff.error === error; rest++) await clock.pass(1000);
    rests.push(rest);
  }
  expect(rests).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  backoff.failed(error);
  backoff.succeeded();
  expect(backoff.error).toBeUndefined();
});
