import { HostError } from '../base/errors.js';
import { pause } from '../base/pause.js';
import type { Clock } from '../model/clock.js';
import { retryDelayMs } from '../model/retries.js';
import { isTransientConnectError } from './transient.js';

export interface TryOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** On the monotonic clock. */
  readonly deadline: number;
  /** Milliseconds to wait before each further attempt. */
  readonly waits: readonly number[];
  /** Called before each wait. */
  readonly onWait: () => void;
}

/** Runs once, and again after transient network errors. Rejects with the last attempt's error. */
export async function retryTransient<Result>(run: () => Promise<Result>, options: TryOptions): Promise<Result> {
  const { clock, signal, deadline, waits, onWait } = options;
  for (const wait of waits) {
    try {
      return await run();
    } catch (error) {
      const isFinal = !(error instanceof HostError) || !isTransientConnectError(error) || signal.aborted;
      // Waits at least as long as the server's Retry-After.
      const asked = isFinal ? undefined : retryDelayMs(error, wait);
      if (asked === undefined || clock.monotonic() + asked >= deadline) throw error;
      onWait();
      await pause(Math.max(asked, wait), { clock, signal });
    }
  }
  return run();
}
