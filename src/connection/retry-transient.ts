import { HostError } from '../base/errors.js';
import { pause } from '../base/pause.js';
import type { Clock } from '../model/clock.js';
import { retryDelayMs } from '../model/retries.js';
import { isTransientConnectError } from './transient.js';

export interface TryOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** By when it has to be done, on the monotonic clock. */
  readonly deadline: number;
  /** How long to wait before each further try. */
  readonly waits: readonly number[];
  /** The next try comes after a wait. */
  readonly onWait: () => void;
}

/** Once, and again when the network may be at fault. Rejects with what the last try said. */
export async function retryTransient<Result>(run: () => Promise<Result>, options: TryOptions): Promise<Result> {
  const { clock, signal, deadline, waits, onWait } = options;
  for (const wait of waits) {
    try {
      return await run();
    } catch (error) {
      const isFinal = !(error instanceof HostError) || !isTransientConnectError(error) || signal.aborted;
      // A server that says when to come back is not asked before.
      const asked = isFinal ? undefined : retryDelayMs(error, wait);
      if (asked === undefined || clock.monotonic() + asked >= deadline) throw error;
      onWait();
      await pause(Math.max(asked, wait), { clock, signal });
    }
  }
  return run();
}
