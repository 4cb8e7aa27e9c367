import { HostError } from '../base/errors.js';
import { pause } from '../base/pause.js';
import { toHostError } from '../base/to-host-error.js';
import type { Clock } from '../model/clock.js';
import { decideRetry, mayHaveRun, retryDelayMs, type FailureKind, failureKindOf } from '../model/retries.js';
import { timeLeftMs } from '../wire/deadline.js';
import type { QueueWaitOptions } from './call-queue.js';
import type { Connection } from './connect.js';
import type { Operation } from './operation.js';

/** How something that was asked of a server ended: exactly once, and never by an exception. */
export type RetriedOutcome<Result> =
  | { readonly outcome: 'ok'; readonly result: Result; readonly attempts: number }
  /** `unknown`: the server may have done it, and nobody can tell. */
  | { readonly outcome: 'error' | 'unknown'; readonly error: HostError; readonly attempts: number };

/** What stands behind: a server that comes and goes. */
export interface RetryTarget {
  readonly clock: Clock;
  /** The line to it; waits while it is away, rejects when it will not come back. */
  readonly connected: (options: QueueWaitOptions) => Connection | Promise<Connection>;
  readonly onFailure: (link: Connection, error: HostError) => void;
  /** Around each try. Contract: neither throws. */
  readonly begin: (link: Connection) => void;
  readonly end: (link: Connection) => void;
}

export interface RetryState extends QueueWaitOptions {
  readonly began: number;
  readonly link: Connection | Promise<Connection>;
  /** How the first try ended, if there was one. */
  readonly first?: { readonly link: Connection; readonly cause: unknown };
}

/** Goes on where a first attempt has failed, or had to wait: as far as model/retries.ts allows, all of it within the one deadline. */
export async function retryUntilOver<Result>(
  { clock, connected, onFailure, begin, end }: RetryTarget,
  operation: Operation<Result>,
  { timeoutMs, signal, began, link: awaited, first }: RetryState,
): Promise<RetriedOutcome<Result>> {
  const left = (): QueueWaitOptions => ({
    signal,
    timeoutMs: timeoutMs === undefined ? undefined : timeLeftMs(timeoutMs, clock.monotonic() - began),
  });
  const failures: FailureKind[] = [];
  let attempts = 0;
  let link: Connection | undefined;
  let failure: unknown;
  if (first) {
    ({ link, cause: failure } = first);
    attempts = 1;
  }
  for (;;) {
    if (!link) {
      try {
        const found = await (attempts === 0 ? awaited : connected(left()));
        if (signal?.aborted === true) throw cancelled(found);
        link = found;
        attempts++;
        begin(link);
        try {
          return { outcome: 'ok', result: await operation.on(link, left()), attempts };
        } finally {
          end(link);
        }
      } catch (cause) {
        failure = cause;
      }
    }
    const error = toHostError(failure, 'A call failed inside Plugboard');
    // Whoever still waited for the server has asked nothing of it, this time.
    if (!link) return { ...ended(failures.some(mayHaveRun) ? 'unknown' : 'error', error), attempts };
    onFailure(link, error);
    link = undefined;
    failures.push(failureKindOf(error));
    const verdict = decideRetry({ isSafe: operation.isSafe(), failures });
    if (verdict.kind === 'over') return { ...ended(verdict.outcome, error), attempts };
    const pauseMs = verdict.after === 'pause' ? retryDelayMs(error) : 0;
    if (pauseMs === undefined || pauseMs > (left().timeoutMs ?? Infinity)) {
      return { ...ended(failures.some(mayHaveRun) ? 'unknown' : 'error', error), attempts };
    }
    if (pauseMs > 0) {
      using _ = clock.hold(); // between two tries nothing else keeps the program alive
      await pause(pauseMs, { clock, signal });
    }
  }
}

function ended(
  outcome: 'error' | 'unknown',
  error: HostError,
): { readonly outcome: 'error' | 'unknown'; readonly error: HostError } {
  return { outcome, error: outcome === 'unknown' ? unknownError(error) : error };
}

/** While the server was away, or during a pause: nothing of this try has left. */
function cancelled({ name }: Connection): HostError {
  return new HostError('cancelled', `A call to server "${name}" was cancelled before it was made`);
}

/** Says so: whoever reads it has to find out before doing it again. */
function unknownError(error: HostError): HostError {
  if (error.message.endsWith(UNKNOWN)) return error;
  return new HostError(error.code, `${error.message}${UNKNOWN}`, {
    hint: 'Find out whether it was done before you do it again',
    ...(error.detail && { detail: error.detail }),
    cause: error,
  });
}

const UNKNOWN = '; whether it was done is unknown';
