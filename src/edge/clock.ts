import type { Clock } from '../model/clock.js';

/** The machine's own time. */
export const systemClock: Clock = {
  // Not performance.now(), for which node first loads 1.5 ms of other things.
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

const LONGEST_TIMER = 2 ** 31 - 1; // beyond it node fires at once

/** Lets everybody else have their turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => systemClock.soon(resolve));
}
