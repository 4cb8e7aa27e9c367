import { systemClock } from '../../src/edge/clock.js';
import type { Clock } from '../../src/model/clock.js';

/** The system clock plus the time that a test has skipped; skipping runs the timers that are due. */
export class SkippingClock implements Clock {
  #skipped = 0;
  readonly #timers = new Set<Timer>();

  monotonic(): number {
    return systemClock.monotonic() + this.#skipped;
  }

  after(ms: number, run: () => void): Disposable {
    const timer: Timer = { at: this.monotonic() + ms, real: NOTHING, run };
    this.#timers.add(timer);
    this.#wait(timer);
    return { [Symbol.dispose]: () => this.#drop(timer) };
  }

  hold(): Disposable {
    return systemClock.hold();
  }

  soon(run: () => void): void {
    systemClock.soon(run);
  }

  /** Timers that are now due run in the next turn, earliest first; the others have that much less to wait. */
  skip(ms: number): void {
    this.#skipped += ms;
    for (const timer of [...this.#timers].toSorted((a, b) => a.at - b.at)) {
      timer.real[Symbol.dispose]();
      this.#wait(timer);
    }
  }

  #wait(timer: Timer): void {
    timer.real = systemClock.after(Math.max(timer.at - this.monotonic(), 0), () => {
      this.#drop(timer);
      timer.run();
    });
  }

  #drop(timer: Timer): void {
    this.#timers.delete(timer);
    timer.real[Symbol.dispose]();
  }
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
  real: Disposable;
}

const NOTHING: Disposable = { [Symbol.dispose]() {} };
