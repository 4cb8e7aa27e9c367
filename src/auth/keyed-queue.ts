import { HostError } from '../base/errors.js';
import { within } from '../base/within.js';
import { systemClock } from '../edge/clock.js';

export interface TurnOptions {
  /** What is waited for, for messages. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Runs the work of this process's callers one at a time for each key, in order of arrival. */
export class KeyedQueue {
  /** The waiting callers of each key; a key is present while its work runs. */
  readonly #lines = new Map<string, Set<() => void>>();

  /** Runs `work` when its turn comes. Rejects with `lock-timeout` or `cancelled`, or as `work` does. */
  async run<T>(key: string, work: () => Promise<T>, options: TurnOptions): Promise<T> {
    if (options.signal?.aborted) throw cancelled(options);
    const line = this.#lines.get(key);
    if (line) await wait(line, options);
    else this.#lines.set(key, new Set());
    try {
      return await work();
    } finally {
      this.#next(key);
    }
  }

  #next(key: string): void {
    const line = this.#lines.get(key)!;
    const [go] = line;
    if (!go) return void this.#lines.delete(key);
    line.delete(go);
    go();
  }
}

async function wait(line: Set<() => void>, options: TurnOptions): Promise<void> {
  const { signal, timeoutMs, what } = options;
  let go: (() => void) | undefined;
  const turn = new Promise<void>((resolve) => line.add((go = resolve)));
  using _ = systemClock.hold();
  await within(turn, {
    signal,
    deadline: (expire) => systemClock.after(timeoutMs, expire),
    instead: (why) => {
      line.delete(go!);
      if (why === 'aborted') throw cancelled(options);
      const message = `${what} is in use by another call of this program; waited ${timeoutMs} ms`;
      throw new HostError('lock-timeout', message, { hint: 'Try again in a moment' });
    },
  });
}

function cancelled({ what, signal }: TurnOptions): HostError {
  return new HostError('cancelled', `Cancelled while waiting for ${what}`, { cause: signal?.reason });
}
