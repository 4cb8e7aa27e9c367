/**
 * Milliseconds to wait before a stream is reopened, after `failures` streams in a row that brought nothing: 1 s
 * doubling up to 30 s, or the server's `retry` if that is longer. With no failure, `retry` alone counts, but at least
 * `FASTEST`. `chance`, 0 to 1, takes off up to a quarter, so that streams that ended together do not reconnect
 * together.
 */
export function toBackoff(failures: number, retryMs: number | undefined, chance = 0): number {
  if (failures === 0 && retryMs !== undefined) return Math.max(retryMs, FASTEST);
  const wait = Math.min(SLOWEST, FIRST * 2 ** failures) * (1 - JITTER * chance);
  return Math.max(retryMs ?? 0, wait);
}

const JITTER = 0.25;

const FIRST = 1_000;
const SLOWEST = 30_000;
const FASTEST = 100; // ms; with "retry: 0" a server is asked ten times a second at most
