import type { Clock } from '../../model/clock.js';
import type { Io } from '../io.js';

/** Time for what the program itself waits for and shows. Unlike a host's, what waits for it keeps the process alive. */
export type ProgramClock = Pick<Clock, 'monotonic' | 'after'>;

export function clockOf({ clock }: Pick<Io, 'clock'>): ProgramClock {
  return clock ?? OWN;
}

/** Aborts that much later. Disposing of it in time means that it never does. */
export function signalAfter(clock: ProgramClock, ms: number): { readonly signal: AbortSignal } & Disposable {
  const late = new AbortController();
  const timer = clock.after(ms, () => late.abort());
  return { signal: late.signal, [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

const OWN: ProgramClock = {
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, LONGEST_TIMER));
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

const LONGEST_TIMER = 2 ** 31 - 1; // beyond it node fires at once
