import { shorten } from '../../base/shorten.js';
import { within } from '../../base/within.js';
import type { Clock } from '../../model/clock.js';

/** The system's own place for secrets. Contract: lets go when the signal aborts, and rejects with a KeychainFailure. */
export interface Keychain extends AsyncDisposable {
  /** Bytes that a secret may have at most; undefined when any of ours fits. */
  readonly limit?: number | undefined;
  read(name: string, signal: AbortSignal): Promise<string | undefined>;
  write(name: string, text: string, signal: AbortSignal): Promise<void>;
  /** Nothing of that name is fine. */
  remove(name: string, signal: AbortSignal): Promise<void>;
}

/**
 * `absent`: there is none on this machine, or nothing to reach it with, for as long as the program runs. `refused`: it said no,
 * or is locked. `slow`: it did not answer; it may be waiting for a person.
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
 * A keychain that nobody waits long for: one question at a time, each within its limit, and after a failure a while of which
 * everybody is told the same at once.
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
    this.#last = mine.catch(() => {}); // told to whoever asked
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

const FIRST_MS = 2_000; // whoever starts a program does not wait longer to learn that there is none
const LATER_MS = 5_000; // one that has answered before is worth some patience
const REST_MS = 30_000; // a person unlocks it within that, and until then nobody waits again
const TEXT_LIMIT = 200;

export function keychainErrorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return shorten(text, TEXT_LIMIT);
}
