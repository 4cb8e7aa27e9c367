import { expect, test } from 'vitest';
import { HostError } from '../base/errors.js';
import {
  decideRetry,
  mayHaveRun,
  MAX_ATTEMPTS,
  retryDelayMs,
  RETRIES,
  type FailureKind,
  failureKindOf,
} from './retries.js';

const all = RETRIES.map(({ failure }) => failure);

function check(failures: readonly FailureKind[], isSafe: boolean, expected: string): void {
  const verdict = decideRetry({ isSafe, failures });
  expect(verdict.kind === 'again' ? `again after ${verdict.after}` : verdict.outcome).toBe(expected);
}

test('a request that never left is made again when the server is back, whatever it does', () => {
  check(['unsent'], false, 'again after connection');
  check(['unsent', 'unsent'], false, 'again after connection');
  check(['unsent', 'unsent', 'unsent'], false, 'error');
});

test('a request that may have reached the server is made again only if that does no harm', () => {
  check(['cut'], true, 'again after connection');
  check(['cut', 'cut'], true, 'unknown');
  check(['cut'], false, 'unknown');
  check(['unavailable'], false, 'unknown');
});

test('no answer in time is never asked for twice', () => {
  check(['timed-out'], true, 'unknown');
  check(['cancelled'], true, 'unknown');
});

test.each(all.flatMap((first) => all.map((second) => [first, second] as const)))(
  'after %s and then %s nothing with effects runs twice, and it ends',
  (first, second) => {
    const start = decideRetry({ isSafe: false, failures: [first] });
    const ended = { kind: 'over', outcome: mayHaveRun(first) ? 'unknown' : 'error' };
    const isOver = mayHaveRun(first) || start.kind === 'over';
    expect(isOver ? start : ended).toEqual(ended);
    const next = decideRetry({ isSafe: false, failures: [first, second] });
    expect(mayHaveRun(second) && !isOver ? next : UNKNOWN).toEqual(UNKNOWN);
    // A safe tool may be retried further, and ends as well.
    for (const isSafe of [true, false]) {
      const failures: FailureKind[] = [first, second];
      while (decideRetry({ isSafe, failures }).kind === 'again')
        failures.push(failures.length % 2 === 0 ? first : second);
      expect(failures.length).toBeLessThanOrEqual(MAX_ATTEMPTS);
    }
  },
);

const UNKNOWN = { kind: 'over', outcome: 'unknown' };
const http = (status: number): HostError => new HostError('http-failed', 'x', { detail: { kind: 'http', status } });
const said = (retryAfterMs: number): HostError =>
  new HostError('http-failed', 'x', { detail: { kind: 'http', status: 503, retryAfterMs } });

test('what an error means for another try is read from its code and status', () => {
  expect([400, 404, 429, 500, 502, 503, 504, 200].map((status) => failureKindOf(http(status)))).toEqual([
    'answered',
    'answered',
    'throttled',
    'broken',
    'unavailable',
    'unavailable',
    'unavailable',
    'broken',
  ]);
  expect(failureKindOf(new HostError('http-failed', 'reset'))).toBe('cut');
  expect(failureKindOf(new HostError('connect-failed', 'refused'))).toBe('unsent');
  expect(failureKindOf(new HostError('server-error', 'no'))).toBe('answered');
});

test('a server is given the pause that it asks for, unless that is longer than anybody would wait', () => {
  expect(retryDelayMs(said(5_000))).toBe(5_000);
  expect(retryDelayMs(said(5_001))).toBeUndefined();
  expect(retryDelayMs(said(3_600_000))).toBeUndefined();
  expect(retryDelayMs(new HostError('http-failed', 'x'))).toBe(1_000);
});
