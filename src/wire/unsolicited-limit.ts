import { pause } from '../base/pause.js';
import type { Clock } from '../model/clock.js';

/**
 * How much unsolicited input a server may send per turn of the event loop. Beyond, it waits for the next turn, and in a
 * lasting flood a few ms longer, so that a flood costs a few percent of a core and delays nothing else.
 */
export class UnsolicitedLimit {
  readonly #clock: Clock;
  #messages = MESSAGES;
  #bytes = BYTES;
  #renewed = -Infinity;
  #renewal: Promise<void> | undefined;

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

  /** Resolves when the limit is renewed, for all that share it. */
  renew(): Promise<void> {
    return (this.#renewal ??= this.#refill());
  }

  async #refill(): Promise<void> {
    await this.#wait();
    this.#renewal = undefined;
    this.#messages = MESSAGES;
    this.#bytes = BYTES;
    this.#renewed = this.#clock.monotonic();
  }

  #wait(): Promise<void> {
    const isFlood = this.#clock.monotonic() - this.#renewed < FLOOD_MS;
    if (isFlood) return pause(FLOOD_PAUSE_MS, { clock: this.#clock });
    return new Promise((resolve) => this.#clock.soon(resolve));
  }
}

const MESSAGES = 200;
const BYTES = 256_000;
const FLOOD_MS = 50;
const FLOOD_PAUSE_MS = 5;
