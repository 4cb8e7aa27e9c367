import { nextTurn, systemClock } from '../edge/clock.js';

/** For work in small pieces: asked after each, and once several milliseconds have passed it lets everybody else have their turn. */
export class Turns {
  #ends = systemClock.monotonic() + TURN_MS;

  /** Undefined while there is time left: most pieces cost no promise. */
  pause(): Promise<void> | undefined {
    return systemClock.monotonic() < this.#ends ? undefined : this.#wait();
  }

  async #wait(): Promise<void> {
    await nextTurn();
    this.#ends = systemClock.monotonic() + TURN_MS;
  }
}

const TURN_MS = 8;
