import type { Clock } from '../model/clock.js';
import { nextTurn, systemClock } from './clock.js';

/** For work in small pieces: `pause`, called after each piece, yields to the event loop once 5 ms have passed. */
export class TimeSlice {
  readonly #clock: Clock;
  #ends: number;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.#ends = clock.monotonic() + TURN_MS;
  }

  /** Undefined while there is time left, so that most pieces need no promise. */
  pause(): Promise<void> | undefined {
    return this.#clock.monotonic() < this.#ends ? undefined : this.#wait();
  }

  async #wait(): Promise<void> {
    await nextTurn();
    this.#ends = this.#clock.monotonic() + TURN_MS;
  }
}

const TURN_MS = 5;
