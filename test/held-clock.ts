import type { Clock } from '../src/model/clock.js';

/**
 * A clock whose long timers run out when a test says so, and never by themselves: what comes about without that has not waited for
 * one, however slow the machine. Short ones pass as on any other clock. Its time is that of the timers that have run out.
 */
export class HeldClock implements Clock {
  readonly #fromMs: number;
  readonly #held = new Set<Held>();
  readonly #watchers = new Set<() => void>();
  #isReleased = false;
  #now = 1_000;

  /** Timers of this many milliseconds and more are held. */
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

  /** The milliseconds of the timers that are held now. */
  get held(): readonly number[] {
    return [...this.#held].map(({ ms }) => ms);
  }

  /** Waits until there is a timer of so many milliseconds, and lets it run out. */
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

  /** As after a while in which the event loop stood still: so much time has passed at once, and what was due meanwhile runs before anything else. */
  skip(ms: number): void {
    this.#now += ms;
    const due = [...this.#held].filter(({ at }) => at <= this.#now).toSorted((one, other) => one.at - other.at);
    for (const held of due) {
      const timer = setTimeout(() => this.#runOut(held), 0);
      held.timer = { [Symbol.dispose]: () => clearTimeout(timer) };
    }
  }

  /** From now on all timers pass by themselves, those that were held as well. */
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
