import type { Clock } from '../model/clock.js';

/**
 * Runs one turn after the time is up, so that bytes that have arrived are processed first. If the event loop was
 * blocked at that time, the delay was this process's own, and the wait is extended once by as much.
 */
export function deadline(clock: Clock, ms: number, run: () => void): Disposable {
  const at = clock.monotonic() + ms;
  let isOver = false;
  const end = (): void => clock.soon(() => void (isOver || run()));
  let timer = clock.after(ms, () => {
    const more = extraTimeMs(clock.monotonic() - at);
    if (more === 0) end();
    else timer = clock.after(more, end);
  });
  return {
    [Symbol.dispose]() {
      isOver = true;
      timer[Symbol.dispose]();
    },
  };
}

/** A `deadline` for `within`; undefined when the time is unlimited. */
export function deadlineIn(clock: Clock, ms: number | undefined): ((expire: () => void) => Disposable) | undefined {
  return ms === undefined || ms === Infinity ? undefined : (expire) => deadline(clock, ms, expire);
}

/** More than a turn of the event loop takes on a busy machine. */
export const BLOCKED_LOOP_MS = 100;

/** Milliseconds to extend a wait whose timer fired this late; 0 for a usual delay. */
export function extraTimeMs(lateMs: number): number {
  return lateMs < BLOCKED_LOOP_MS ? 0 : Math.min(Math.max(lateMs, SHORTEST_MS), LONGEST_MS);
}

/** The time left, in ms. Past the timeout still up to SHORTEST_MS: an extended request may need further round trips. */
export function timeLeftMs(timeoutMs: number, passedMs: number): number {
  return passedMs < timeoutMs ? Math.ceil(timeoutMs - passedMs) : Math.min(timeoutMs, SHORTEST_MS);
}

const SHORTEST_MS = 250; // a few round trips
const LONGEST_MS = 5_000; // after an hour of sleep a machine need not wait another hour

/** There is always a deadline: for undefined, Infinity and values that are not positive numbers the default applies. */
export function toTimeout(timeoutMs: number | undefined): number {
  return timeoutMs !== undefined && timeoutMs > 0 && Number.isFinite(timeoutMs) ? timeoutMs : DEFAULT_TIMEOUT;
}

const DEFAULT_TIMEOUT = 60_000;
