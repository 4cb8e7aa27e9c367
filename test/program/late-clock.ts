import { setTimeout as pause } from 'node:timers/promises';
import { FakeClock } from '../fake-clock.js';

/** A deadline that is over when `lateAfter` says so, and never because the machine is slow. */
export const FAR_MS = '20000'; // less than what the program itself waits for a server

export interface Late {
  /** Until then no time passes; then a second does, as if the server took so long to start, and then it may go on. */
  readonly started?: { readonly at: () => Promise<unknown>; readonly goOn: () => void };
  /** Then all of FAR_MS is over since the beginning. */
  readonly at: () => Promise<unknown>;
}

/**
 * A clock that stands still until something has happened, and not longer because the machine is slow. In the end it goes four times slower
 * than the machine's own: what has to end by itself after a deadline has its time.
 */
export function lateAfter({ started, at }: Late): FakeClock & Disposable {
  const clock = new FakeClock();
  const ended = new AbortController();
  const goOn = async (): Promise<void> => {
    const startMs = started ? START_MS : 0;
    await started?.at();
    await clock.pass(startMs);
    started?.goOn();
    await at();
    await clock.pass(Number(FAR_MS) - startMs);
    while (!ended.signal.aborted) {
      await pause(STEP_MS * SLOWER);
      await clock.pass(STEP_MS);
    }
  };
  goOn().catch(() => {}); // what it waited for did not happen: the run has ended without it, or the test will
  return Object.assign(clock, { [Symbol.dispose]: () => ended.abort() });
}

const START_MS = 1_000;
const STEP_MS = 5;
const SLOWER = 4;
