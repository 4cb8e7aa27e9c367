import { HostError } from '../base/errors.js';
import { pause } from '../base/pause.js';
import { toHostError } from '../base/to-host-error.js';
import type { Clock } from '../model/clock.js';
import { decideRetry, mayHaveRun, retryDelayMs, type FailureKind, failureKindOf } from '../model/retries.js';
import { timeLeftMs } from '../wire/deadline.js';
import type { QueueWaitOptions } from './call-queue.js';
import type { Connection } from './connect.js';
import type { Operation } from './operation.js';

/** How an operation on a server ended. Errors are returned, never thrown. */
export type RetriedOutcome<Result> = AskedOutcome<Result> & {
  /** The caller's own line to the server was opened anew since its last result: what the server kept for it is gone. */
  readonly isNewLane?: true;
};

type AskedOutcome<Result> =
  | { readonly outcome: 'ok'; readonly result: Result; readonly attempts: number }
  /** `unknown`: the server may have run the operation, and no response says whether it did. */
  | { readonly outcome: 'error' | 'unknown'; readonly error: HostError; readonly attempts: number };

/** What `retryUntilOver` needs of a server that may disconnect and come back. */
export interface RetryTarget {
  readonly clock: Clock;
  /** The server's connection. Waits while the server is disconnected; rejects when it will not reconnect. */
  readonly connected: (options: QueueWaitOptions) => Connection | Promise<Connection>;
  readonly onFailure: (connection: Connection, error: HostError) => void;
  /** `begin` and `end` enclose each attempt. Contract: neither throws. */
  readonly begin: (connection: Connection) => void;
  readonly end: (connection: Connection) => void;
}

export interface RetryState extends QueueWaitOptions {
  readonly began: number;
  readonly connection: Connection | Promise<Connection>;
  /** How the first attempt failed; undefined when none was made, because the server was disconnected. */
  readonly first?: { readonly connection: Connection; readonly cause: unknown };
}

/** Makes further attempts, as model/retries.ts allows, after the first failed or had to wait; within one deadline. */
export async function retryUntilOver<Result>(
  { clock, connected, onFailure, begin, end }: RetryTarget,
  operation: Operation<Result>,
  { timeoutMs, signal, began, connection: awaited, first }: RetryState,
): Promise<RetriedOutcome<Result>> {
  const left = (): QueueWaitOptions => ({
    signal,
    timeoutMs: timeoutMs === undefined ? undefined : timeLeftMs(timeoutMs, clock.monotonic() - began),
  });
  const failures: FailureKind[] = [];
  let attempts = 0;
  let connection: Connection | undefined;
  let failure: unknown;
  if (first) {
    ({ connection, cause: failure } = first);
    attempts = 1;
  }
  for (;;) {
    if (!connection) {
      try {
        const found = await (attempts === 0 ? awaited : connected(left()));
        if (signal?.aborted === true) throw cancelled(found);
        connection = found;
        attempts++;
        begin(connection);
        try {
          return { outcome: 'ok', result: await operation.on(connection, left()), attempts };
        } finally {
          end(connection);
        }
      } catch (cause) {
        failure = cause;
      }
    }
    const error = toHostError(failure, 'A call failed inside Plugboard');
    // This attempt failed while waiting for the server, so nothing was sent: only earlier attempts can have run.
    if (!connection) return { ...ended(failures.some(mayHaveRun) ? 'unknown' : 'error', error), attempts };
    onFailure(connection, error);
    connection = undefined;
    failures.push(failureKindOf(error));
    const verdict = decideRetry({ isSafe: operation.isSafe(), failures });
    if (verdict.kind === 'over') return { ...ended(verdict.outcome, error), attempts };
    const pauseMs = verdict.after === 'pause' ? retryDelayMs(error) : 0;
    if (pauseMs === undefined || pauseMs > (left().timeoutMs ?? Infinity)) {
      return { ...ended(failures.some(mayHaveRun) ? 'unknown' : 'error', error), attempts };
    }
    if (pauseMs > 0) {
      using _ = clock.hold(); // between two attempts nothing else keeps the event loop alive
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

/** Cancelled while the server was disconnected, or between two attempts: this attempt sent nothing. */
function cancelled({ name }: Connection): HostError {
  return new HostError('cancelled', `A call to server "${name}" was cancelled before it was made`);
}

/** Adds to the error that the operation may have run: check before you repeat it. */
function unknownError(error: HostError): HostError {
  if (error.message.endsWith(UNKNOWN)) return error;
  return new HostError(error.code, `${error.message}${UNKNOWN}`, {
    hint: 'Find out whether it was done before you do it again',
    ...(error.detail && { detail: error.detail }),
    cause: error,
  });
}

const UNKNOWN = '; whether it was done is unknown';
