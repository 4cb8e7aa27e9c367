import type { Clock } from '../model/clock.js';

/** The system's clock and timers. */
export const systemClock: Clock = {
  // Not `performance.now()`: Node spends 1.5 ms loading modules for its first use.
  monotonic() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, LONGEST_TIMER));
    timer.unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
  hold() {
    const timer = setInterval(() => {}, LONGEST_TIMER);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  },
  soon: (run) => void setImmediate(run),
};

const LONGEST_TIMER = 2 ** 31 - 1; // ms; Node fires a longer timer at once

/** Resolves in the next turn of the event loop, so that other work can run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => systemClock.soon(resolve));
}
