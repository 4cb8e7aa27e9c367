import { systemClock } from '../../src/edge/clock.js';
import type { Clock } from '../../src/model/clock.js';

/** The machine's own time, except that a test may skip some of it: what was to wait for that long has waited. */
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

  /** What is due by then runs in the next turn, earliest first; all else is that much closer. */
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
