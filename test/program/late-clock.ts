import { setTimeout as pause } from 'node:timers/promises';
import { FakeClock } from '../fake-clock.js';

/** A timeout that runs out when `lateAfter` says so, never because the machine is slow. */
export const FAR_MS = '20000'; // less than the program's own timeout for a server

export interface Late {
  /**
   * Until `at` resolves no time passes; then one second does, as if the server started slowly, and `goOn` is called.
   */
  readonly started?: { readonly at: () => Promise<unknown>; readonly goOn: () => void };
  /** When `at` resolves, FAR_MS have passed since the beginning. */
  readonly at: () => Promise<unknown>;
}

/**
 * A clock that stands still until the events of `Late`, so that a slow machine makes nothing late. After that it runs
 * at a quarter of real time, so that work after a deadline can finish.
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
  goOn().catch(() => {}); // the awaited event did not happen: the run ended without it, or the test will fail
  return Object.assign(clock, { [Symbol.dispose]: () => ended.abort() });
}

const START_MS = 1_000;
const STEP_MS = 5;
const SLOWER = 4;
