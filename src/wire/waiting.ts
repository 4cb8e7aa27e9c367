import type { HostError } from '../base/errors.js';
import type { Clock } from '../model/clock.js';
import { deadline } from './deadline.js';

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** What those are told who wait in vain. */
export interface Excuses {
  readonly late: (method: string, timeoutMs: number) => HostError;
  readonly cancelled: (method: string) => HostError;
}

/** Those who wait for something that is no answer: as long as for one, and ending in the same words. */
export class Waiting {
  readonly #clock: Clock;
  readonly #excuses: Excuses;
  readonly #ends = new Set<(toError: (method: string) => HostError) => void>();

  constructor(clock: Clock, excuses: Excuses) {
    this.#clock = clock;
    this.#excuses = excuses;
  }

  /** Whatever becomes of the event, somebody has listened to it. While it is waited for, the program goes on. */
  within<Value>(event: Promise<Value>, method: string, { timeoutMs, signal }: WaitOptions): Promise<Value> {
    const clock = this.#clock;
    const { late, cancelled } = this.#excuses;
    return new Promise((resolve, reject) => {
      const hold = clock.hold();
      const timer = deadline(clock, timeoutMs, () => end(() => reject(late(method, timeoutMs))));
      const onAbort = (): void => end(() => reject(cancelled(method)));
      const onEnd = (toError: (method: string) => HostError): void => end(() => reject(toError(method)));
      const end = (settle: () => void): void => {
        hold[Symbol.dispose]();
        timer[Symbol.dispose]();
        signal?.removeEventListener('abort', onAbort);
        this.#ends.delete(onEnd);
        settle();
      };
      event.then(
        (value) => end(() => resolve(value)),
        (error: unknown) => end(() => reject(error)),
      );
      this.#ends.add(onEnd);
      signal?.addEventListener('abort', onAbort);
      if (signal?.aborted === true) onAbort();
    });
  }

  /** There is nothing to wait for any more. */
  end(toError: (method: string) => HostError): void {
    for (const end of Array.from(this.#ends)) end(toError);
  }
}
