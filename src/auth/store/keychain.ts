import { shorten } from '../../base/shorten.js';
import { within } from '../../base/within.js';
import type { Clock } from '../../model/clock.js';

/** The system's keychain. Contract: stops when the signal aborts, and rejects with a KeychainFailure. */
export interface Keychain extends AsyncDisposable {
  /** The most bytes that a secret may have; undefined when all of ours fit. */
  readonly limit?: number | undefined;
  read(name: string, signal: AbortSignal): Promise<string | undefined>;
  write(name: string, text: string, signal: AbortSignal): Promise<void>;
  /** Succeeds when there is no entry of that name. */
  remove(name: string, signal: AbortSignal): Promise<void>;
}

/**
 * `absent`: this machine has no keychain, or no way to reach it, for as long as the program runs. `refused`: the
 * keychain refused, or is locked. `slow`: it did not respond; it may be waiting for the user.
 */
export type KeychainTrouble = 'absent' | 'refused' | 'slow';

export class KeychainFailure extends Error {
  readonly trouble: KeychainTrouble;

  constructor(trouble: KeychainTrouble, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'KeychainFailure';
    this.trouble = trouble;
  }
}

/**
 * A keychain with bounded waits: one request at a time, each with a timeout; after a failure all requests fail at once
 * with the same error for a while.
 */
export class BoundedKeychain implements AsyncDisposable {
  readonly #keychain: Keychain;
  readonly #clock: Clock;
  #last: Promise<unknown> = Promise.resolve();
  #hasAnswered = false;
  #down: { readonly failure: KeychainFailure; readonly until: number } | undefined;

  constructor(keychain: Keychain, clock: Clock) {
    this.#keychain = keychain;
    this.#clock = clock;
  }

  get limit(): number {
    return this.#keychain.limit ?? Number.POSITIVE_INFINITY;
  }

  read(name: string): Promise<string | undefined> {
    return this.#ask((signal) => this.#keychain.read(name, signal));
  }

  write(name: string, text: string): Promise<void> {
    return this.#ask((signal) => this.#keychain.write(name, text, signal));
  }

  remove(name: string): Promise<void> {
    return this.#ask((signal) => this.#keychain.remove(name, signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#keychain[Symbol.asyncDispose]();
  }

  #ask<T>(question: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const mine = this.#last.then(async () => {
      if (this.#down && this.#clock.monotonic() < this.#down.until) throw this.#down.failure;
      try {
        const answer = await this.#within(question);
        this.#hasAnswered = true;
        this.#down = undefined;
        return answer;
      } catch (error) {
        const failure =
          error instanceof KeychainFailure
            ? error
            : new KeychainFailure('refused', keychainErrorText(error), { cause: error });
        const rest = failure.trouble === 'absent' ? Number.POSITIVE_INFINITY : REST_MS;
        this.#down = { failure, until: this.#clock.monotonic() + rest };
        throw failure;
      }
    });
    this.#last = mine.catch(() => {}); // the caller gets the error
    return mine;
  }

  async #within<T>(question: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = this.#hasAnswered ? LATER_MS : FIRST_MS;
    const control = new AbortController();
    const instead = (): KeychainFailure =>
      new KeychainFailure('slow', `it did not answer within ${limit} ms, and may be waiting to be unlocked`);
    const answer = await within(question(control.signal), {
      deadline: (expire) => this.#clock.after(limit, expire),
      instead,
    });
    if (!(answer instanceof KeychainFailure)) return answer;
    control.abort();
    throw answer;
  }
}

const FIRST_MS = 2_000; // a starting program waits no longer to learn that there is no keychain
const LATER_MS = 5_000; // a keychain that has responded before gets more time
const REST_MS = 30_000; // time for the user to unlock it; until then no request waits again
const TEXT_LIMIT = 200;

export function keychainErrorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return shorten(text, TEXT_LIMIT);
}
