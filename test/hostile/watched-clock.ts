import { systemClock } from '../../src/edge/clock.js';
import type { Clock } from '../../src/model/clock.js';

/** Timers as short as these are how a host looks again, and no deadline. */
const DEADLINE_MS = 100;

/**
 * The machine's clock, which tells of the longest timer that ran out: that is what a host has waited for, however slow the machine. A deadline
 * runs out after the neighbour was answered once more, and never before: a neighbour that had to wait for it would wait for ever.
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

  /** The longest that ran out since the last time, in the milliseconds that it was set to; of one that was set before, those that were left. */
  takeLongest(): number {
    const ms = this.#longestMs;
    this.#longestMs = 0;
    this.#since = this.monotonic();
    return Math.round(ms);
  }
}
