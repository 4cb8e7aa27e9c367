import { onAbort } from '../../base/on-abort.js';
import type { Slot } from '../../connection/server-lifecycle-options.js';
import type { Clock } from '../../model/clock.js';

export interface SlotsOptions {
  readonly limit: number;
  /** A slot counts until its server is connected, however long that takes. Otherwise until it was heard of, or a moment. */
  readonly isStrict: boolean;
  readonly clock: Clock;
}

/** How many servers start at the same time. A slow one does not hold up those behind it. */
export class Slots {
  readonly #options: SlotsOptions;
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(options: SlotsOptions) {
    this.#options = options;
    this.#free = options.limit;
  }

  /** In the order in which they came. Rejects when the signal aborts first. */
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

const HOLD_MS = 150; // by then a server is up, or waits for something that others do not slow down
