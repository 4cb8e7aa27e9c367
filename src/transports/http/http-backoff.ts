/**
 * How long to wait before a stream is opened again that has ended so many times in a row for nothing: what the server asked
 * for, and from the second time on no less than 1 s doubling to 30 s. By chance a little shorter, so that many that ended
 * together do not come back together.
 */
export function toBackoff(failures: number, retryMs: number | undefined, chance = 0): number {
  if (failures === 0 && retryMs !== undefined) return Math.max(retryMs, FASTEST);
  const wait = Math.min(SLOWEST, FIRST * 2 ** failures) * (1 - JITTER * chance);
  return Math.max(retryMs ?? 0, wait);
}

const JITTER = 0.25;

const FIRST = 1_000;
const SLOWEST = 30_000;
const FASTEST = 100; // a server that says "retry: 0" for ever is asked ten times a second
