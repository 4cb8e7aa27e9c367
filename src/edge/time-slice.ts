import type { Clock } from '../model/clock.js';
import { nextTurn, systemClock } from './clock.js';

/** For work in small pieces: `pause`, called after each piece, yields to the event loop once some ms have passed. */
export class TimeSlice {
  readonly #clock: Clock;
  readonly #ms: number;
  #ends: number;

  constructor(clock: Clock = systemClock, ms = TURN_MS) {
    this.#clock = clock;
    this.#ms = ms;
    this.#ends = clock.monotonic() + ms;
  }

  /** Undefined while there is time left, so that most pieces need no promise. */
  pause(): Promise<void> | undefined {
    return this.#clock.monotonic() < this.#ends ? undefined : this.#wait();
  }

  async #wait(): Promise<void> {
    await nextTurn();
    this.#ends = this.#clock.monotonic() + this.#ms;
  }
}

const TURN_MS = 5;
