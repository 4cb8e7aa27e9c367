import { systemClock } from '../../src/edge/clock.js';
import type { Clock } from '../../src/model/clock.js';

/** Shorter timers are polls, not deadlines. */
const DEADLINE_MS = 100;

/**
 * The system clock, which records the longest timer that ran out: how long a host has waited, on any machine. A
 * deadline runs out only after another call to the neighbour was answered, so a neighbour that waits for it hangs.
 */
export class WatchedClock implements Clock {
  readonly #neighbourAnswers: () => Promise<void>;
  #longestMs = 0;
  #since = 0;

  constructor(neighbourAnswers: () => Promise<void>) {
    this.#neighbourAnswers = neighbourAnswers;
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  after(ms: number, run: () => void): Disposable {
    const over = new AbortController();
    const due = this.monotonic() + ms;
    const runOut = (): void => {
      if (over.signal.aborted) return;
      this.#longestMs = Math.max(this.#longestMs, Math.min(ms, due - this.#since));
      run();
    };
    const timer = systemClock.after(ms, ms < DEADLINE_MS ? runOut : () => void this.#neighbourAnswers().then(runOut));
    return {
      [Symbol.dispose]() {
        timer[Symbol.dispose]();
        over.abort();
      },
    };
  }

  hold(): Disposable {
    return systemClock.hold();
  }

  soon(run: () => void): void {
    systemClock.soon(run);
  }

  /** The longest timer that ran out since the last call, in ms as set; of one set before that call, the ms left. */
  takeLongest(): number {
    const ms = this.#longestMs;
    this.#longestMs = 0;
    this.#since = this.monotonic();
    return Math.round(ms);
  }
}
