import type { HostError } from '../../base/errors.js';
import type { Clock } from '../../model/clock.js';
import type { TokenSet } from '../store/credential-record.js';

/** `due`: still valid, but about to expire. */
export type Freshness = 'fresh' | 'due' | 'expired';

/** A token's state by a date that may jump: where dates make no sense, the server is left to refuse it. */
export function freshnessOf({ expiresAt, obtainedAt }: TokenSet, now: number): Freshness {
  if (expiresAt === undefined) return 'fresh';
  const life = expiresAt - obtainedAt;
  // A token with no lifetime at all would be refreshed before every request.
  if (life < SHORTEST_LIFE_MS || now < obtainedAt - BACKWARDS_MS) return 'fresh';
  if (now >= expiresAt) return 'expired';
  return now >= expiresAt - Math.min(AHEAD_MS, life / 10) ? 'due' : 'fresh';
}

const AHEAD_MS = 60_000; // clocks differ by seconds, and a request may be checked a little later
const SHORTEST_LIFE_MS = 1000;
const BACKWARDS_MS = 60_000; // less is a correction of the clock; more means that the date was wrong, now or then

/** No retry right after a transient failure: 100 calls must not become 100 requests to a broken server. */
export class Backoff {
  readonly #clock: Clock;
  #failures = 0;
  #until = 0;
  #error: HostError | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The latest failure, while it is too early for another attempt. */
  get error(): HostError | undefined {
    return this.#clock.monotonic() < this.#until ? this.#error : undefined;
  }

  failed(error: HostError): void {
    const delay = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, LONGEST_DELAY_MS);
    this.#failures = Math.min(this.#failures + 1, MOST_DOUBLINGS);
    this.#until = this.#clock.monotonic() + delay;
    this.#error = error;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#until = 0;
    this.#error = undefined;
  }
}

const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 60_000;
const MOST_DOUBLINGS = 10;
