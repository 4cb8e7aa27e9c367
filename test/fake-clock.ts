import type { Clock } from '../src/model/clock.js';

/** A clock that stands still until a test lets time pass. */
export class FakeClock implements Clock {
  #now = 1_000;
  #timers: { readonly at: number; readonly run: () => void }[] = [];
  timersSet = 0;

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): Disposable {
    const timer = { at: this.#now + ms, run };
    this.timersSet++;
    this.#timers.push(timer);
    return { [Symbol.dispose]: () => void (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }

  hold(): Disposable {
    return { [Symbol.dispose]() {} };
  }

  soon(run: () => void): void {
    setImmediate(run);
  }

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
