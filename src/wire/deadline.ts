import type { Clock } from '../model/clock.js';

/**
 * Runs when the time is up, in the turn after: what has arrived by then is taken in first. When the event loop stood still while it
 * was up, it was this process that was late: whoever is waited for gets that time back, once.
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

/** The same as a deadline for `within`; none where the time is unlimited. */
export function deadlineIn(clock: Clock, ms: number | undefined): ((expire: () => void) => Disposable) | undefined {
  return ms === undefined || ms === Infinity ? undefined : (expire) => deadline(clock, ms, expire);
}

/** More than a busy machine takes for a turn. */
export const BLOCKED_LOOP_MS = 100;

/** How much longer to wait when a timer came so late; 0 when that is what timers are like. */
export function extraTimeMs(lateMs: number): number {
  return lateMs < BLOCKED_LOOP_MS ? 0 : Math.min(Math.max(lateMs, SHORTEST_MS), LONGEST_MS);
}

/** What is left of a time. Whoever has none left and is still asked was spared, and has to be able to do something with that. */
export function timeLeftMs(timeoutMs: number, passedMs: number): number {
  return passedMs < timeoutMs ? Math.ceil(timeoutMs - passedMs) : Math.min(timeoutMs, SHORTEST_MS);
}

const SHORTEST_MS = 250; // a few round trips
const LONGEST_MS = 5_000; // a machine that slept for an hour need not wait for another one

/** There is always a deadline: what is no number of milliseconds, or none at all, is as if it were not given. */
export function toTimeout(timeoutMs: number | undefined): number {
  return timeoutMs !== undefined && timeoutMs > 0 && Number.isFinite(timeoutMs) ? timeoutMs : DEFAULT_TIMEOUT;
}

const DEFAULT_TIMEOUT = 60_000;
