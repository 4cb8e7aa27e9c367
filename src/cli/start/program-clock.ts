import type { Clock } from '../../model/clock.js';
import type { Io } from '../io.js';

/** The clock for what the program itself waits for and shows. Unlike a host's, its timers keep the process alive. */
export type ProgramClock = Pick<Clock, 'monotonic' | 'after'>;

export function clockOf({ clock }: Pick<Io, 'clock'>): ProgramClock {
  return clock ?? OWN;
}

/** A signal that aborts after `ms`, unless disposed of before. */
export function signalAfter(clock: ProgramClock, ms: number): { readonly signal: AbortSignal } & Disposable {
  const late = new AbortController();
  const timer = clock.after(ms, () => late.abort());
  return { signal: late.signal, [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

const OWN: ProgramClock = {
  // Not `performance.now()`, for whose first use Node loads modules for half a millisecond.
  monotonic() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, LONGEST_TIMER));
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

const LONGEST_TIMER = 2 ** 31 - 1; // beyond it Node fires at once
