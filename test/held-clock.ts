import type { Clock } from '../src/model/clock.js';

/**
 * A clock whose long timers run out only when a test says so: what happens without that has not waited for one, however
 * slow the machine. Short timers run on real time. `monotonic()` is the time of the last timer that ran out.
 */
export class HeldClock implements Clock {
  readonly #fromMs: number;
  readonly #held = new Set<Held>();
  readonly #watchers = new Set<() => void>();
  #isReleased = false;
  #now = 1_000;

  /** Holds timers of this many milliseconds and more. */
  constructor(fromMs: number) {
    this.#fromMs = fromMs;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): Disposable {
    const held: Held = { at: this.#now + ms, ms, run };
    if (ms < this.#fromMs || this.#isReleased) return this.#start(held);
    this.#held.add(held);
    for (const look of this.#watchers) look();
    return {
      [Symbol.dispose]: () => {
        this.#held.delete(held);
        held.timer?.[Symbol.dispose]();
      },
    };
  }

  hold(): Disposable {
    return { [Symbol.dispose]() {} };
  }

  soon(run: () => void): void {
    setImmediate(run);
  }

  /** The durations of the timers that are held now, in ms. */
  get held(): readonly number[] {
    return [...this.#held].map(({ ms }) => ms);
  }

  /** Waits until a timer of exactly this duration is set, and lets it run out. */
  async lapse(ms: number): Promise<void> {
    const found = await new Promise<Held>((resolve) => {
      const look = (): void => {
        const one = [...this.#held].find((held) => held.ms === ms);
        if (!one) return;
        this.#watchers.delete(look);
        resolve(one);
      };
      this.#watchers.add(look);
      look();
    });
    this.#runOut(found);
  }

  /** Acts as if the event loop had been blocked for this long: timers that became due run next, earliest first. */
  skip(ms: number): void {
    this.#now += ms;
    const due = [...this.#held].filter(({ at }) => at <= this.#now).toSorted((one, other) => one.at - other.at);
    for (const held of due) {
      const timer = setTimeout(() => this.#runOut(held), 0);
      held.timer = { [Symbol.dispose]: () => clearTimeout(timer) };
    }
  }

  /** From now on all timers run on real time, the held ones included. */
  release(): void {
    this.#isReleased = true;
    for (const held of this.#held) held.timer = this.#start(held);
  }

  #start(held: Held): Disposable {
    const timer = setTimeout(() => this.#runOut(held), held.ms);
    timer.unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  }

  #runOut(held: Held): void {
    this.#held.delete(held);
    this.#now = Math.max(this.#now, held.at);
    held.run();
  }
}

interface Held {
  readonly at: number;
  readonly ms: number;
  readonly run: () => void;
  timer?: Disposable;
}
