import { onAbort } from '../../base/on-abort.js';
import type { Slot } from '../../connection/server-lifecycle-options.js';
import type { Clock } from '../../model/clock.js';

export interface SlotsOptions {
  readonly limit: number;
  /** Holds a slot until its server is connected. Otherwise until its first message, for `HOLD_MS` at most. */
  readonly isStrict: boolean;
  readonly clock: Clock;
}

/** Limits how many servers start at the same time. Unless `isStrict`, a slow one does not hold up those behind it. */
export class Slots {
  readonly #options: SlotsOptions;
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(options: SlotsOptions) {
    this.#options = options;
    this.#free = options.limit;
  }

  /** Takes a slot, first come, first served. Rejects when the signal aborts first. */
  take(signal: AbortSignal): Promise<Slot> {
    return new Promise((resolve, reject) => {
      const give = (): void => {
        this.#waiting.delete(give);
        listening?.[Symbol.dispose]();
        resolve(this.#occupy());
      };
      const leave = (): void => {
        this.#waiting.delete(give);
        reject(new Error('no longer wanted'));
      };
      let listening: Disposable | undefined;
      if (signal.aborted) return leave();
      if (this.#free > 0) return give();
      listening = onAbort(signal, leave);
      this.#waiting.add(give);
    });
  }

  #occupy(): Slot {
    const { clock, isStrict } = this.#options;
    this.#free--;
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      timer?.[Symbol.dispose]();
      this.#free++;
      const [next] = this.#waiting;
      next?.();
    };
    const timer = isStrict ? undefined : clock.after(HOLD_MS, release);
    return { received: isStrict ? () => {} : release, release };
  }
}

const HOLD_MS = 150; // by then a server is up, or waits for something that other starts do not slow down
