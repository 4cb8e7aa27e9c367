/** The budget of one check. Everything that a schema, a pattern or a value can make slow spends from it. */
export class Fuel {
  readonly #expired: () => boolean;
  readonly #units: number;
  #left: number;
  #nextLook: number;
  #before = 0;
  #isSpent = false;

  /** Contract: `expired` returns whether the time is over; it is called rarely, must be cheap and must not throw. */
  constructor(units: number, expired: () => boolean = never) {
    this.#units = units;
    this.#left = units;
    this.#expired = expired;
    this.#nextLook = Math.max(units - LOOK_EVERY, 0);
  }

  /** All units spent so far. */
  get spent(): number {
    return this.#before + this.#units - this.#left;
  }

  /** Throws `OutOfFuel`, which leaves a check at any depth and is caught where the check began. */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < this.#nextLook) this.#look();
  }

  /** Whether the budget has run out. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** Grants the full number of units once more; the time limit stays. */
  refill(): void {
    this.#before = this.spent;
    this.#left = this.#units;
    this.#nextLook = Math.max(this.#units - LOOK_EVERY, 0);
  }

  #look(): void {
    this.#nextLook = Math.max(this.#left - LOOK_EVERY, 0);
    this.#isSpent = this.#left < 0 || this.#expired();
    if (this.#isSpent) throw new OutOfFuel();
  }
}

export class OutOfFuel extends Error {
  override readonly name = 'OutOfFuel';
}

const LOOK_EVERY = 20_000; // units between two calls of `expired`: a fraction of a millisecond

function never(): boolean {
  return false;
}
