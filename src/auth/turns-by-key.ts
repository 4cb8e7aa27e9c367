import { HostError } from '../base/errors.js';
import { allowListeners } from '../edge/allow-listeners.js';

export interface TurnOptions {
  /** For texts: what is waited for. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Lets callers of one process in one at a time for each key, in the order in which they came. */
export class TurnsByKey {
  /** Who waits, for each key that somebody is in. */
  readonly #lines = new Map<string, Set<() => void>>();

  /** Runs `work` when the turn has come. Rejects with `lock-timeout` or `cancelled`, or as `work` does. */
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

function wait(line: Set<() => void>, options: TurnOptions): Promise<void> {
  const { signal, timeoutMs } = options;
  return new Promise((resolve, reject) => {
    const end = (): void => {
      line.delete(go);
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const go = (): void => {
      end();
      resolve();
    };
    const abort = (): void => {
      end();
      reject(cancelled(options));
    };
    const timer = setTimeout(() => {
      end();
      const message = `${options.what} is in use by another call of this program; waited ${timeoutMs} ms`;
      reject(new HostError('lock-timeout', message, { hint: 'Try again in a moment' }));
    }, timeoutMs);
    if (signal) allowListeners(signal);
    signal?.addEventListener('abort', abort);
    line.add(go);
  });
}

function cancelled({ what, signal }: TurnOptions): HostError {
  return new HostError('cancelled', `Cancelled while waiting for ${what}`, { cause: signal?.reason });
}
