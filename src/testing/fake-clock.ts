import type { Clock } from '../model/clock.js';

/** A clock that stands still until a test lets time pass: `ports: { clock }` of `Host.open`. */
export class FakeClock implements Clock {
  #now = 1_000;
  #timers: { readonly at: number; readonly run: () => void }[] = [];
  /** How many timers were set so far. */
  timersSet = 0;

  /** The time of this clock, in ms. */
  monotonic(): number {
    return this.#now;
  }

  /** Calls `run` when that much time has passed. */
  after(ms: number, run: () => void): Disposable {
    const timer = { at: this.#now + ms, run };
    this.timersSet++;
    this.#timers.push(timer);
    return { [Symbol.dispose]: () => void (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }

  /** A clock that stands still keeps no process alive. */
  hold(): Disposable {
    return { [Symbol.dispose]() {} };
  }

  /** Calls `run` in the next turn of the event loop. */
  soon(run: () => void): void {
    setImmediate(run);
  }

  /** How many timers wait. */
  get timers(): number {
    return this.#timers.length;
  }

  /** Lets time pass, timer by timer, with turns of the event loop after each. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at);
      if (!next) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
      await turn();
    }
    this.#now = until;
    await turn();
  }
}

/** Two turns of the event loop: callbacks given to `soon` have run then. */
export async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
}
