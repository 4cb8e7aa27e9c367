import type { Clock } from '../model/clock.js';

/**
 * How much a server may say unasked in one turn of the event loop. One that says more waits for the next turn, and one
 * that never stops for a while longer, so that a flood costs a few percent of a core and delays nobody else.
 */
export class Ration {
  readonly #clock: Clock;
  #messages = MESSAGES;
  #bytes = BYTES;
  #renewed = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isSpent(): boolean {
    return this.#messages <= 0 || this.#bytes <= 0;
  }

  spend(bytes: number): void {
    this.#messages--;
    this.#bytes -= bytes;
  }

  /** Resolves when there is more to spend. */
  renew(): Promise<void> {
    const now = this.#clock.monotonic();
    const isFlood = now - this.#renewed < FLOOD_MS;
    this.#renewed = now;
    this.#messages = MESSAGES;
    this.#bytes = BYTES;
    return new Promise((resolve) => {
      if (isFlood) this.#clock.after(FLOOD_PAUSE_MS, resolve);
      else this.#clock.soon(resolve);
    });
  }
}

const MESSAGES = 200;
const BYTES = 256_000;
const FLOOD_MS = 50;
const FLOOD_PAUSE_MS = 5;
