import { HostError } from '../../base/errors.js';
import type { Invocation } from '../input/arguments.js';
import type { Io } from '../io.js';
import { toMs } from '../output/milliseconds.js';
import { clockOf, signalAfter } from './program-clock.js';

/** The end of a run: Ctrl-C or --timeout. */
export interface RunDeadline extends Disposable {
  /** Aborts on Ctrl-C or after --timeout. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number | undefined;
  /** Whether --timeout has passed. */
  readonly isTimedOut: boolean;
  /** Turns a `cancelled` error that --timeout caused into a timeout error. */
  readonly explain: (cause: unknown) => unknown;
}

export function openDeadline(invocation: Invocation, io: Io): RunDeadline {
  const timeoutMs = toMs(invocation.value('timeout'));
  const late = timeoutMs === undefined ? undefined : signalAfter(clockOf(io), timeoutMs);
  const isTimedOut = (): boolean => late?.signal.aborted === true;
  const ends = [io.interrupted, late?.signal].filter((signal) => signal !== undefined);
  return {
    signal: AbortSignal.any(ends),
    timeoutMs,
    get isTimedOut() {
      return isTimedOut();
    },
    explain: (cause) => {
      const isOurs = isTimedOut() && cause instanceof HostError && cause.code === 'cancelled';
      return isOurs ? timeoutError(cause, { verb: invocation.verb.name, timeoutMs }) : cause;
    },
    [Symbol.dispose]: () => late?.[Symbol.dispose](),
  };
}

function timeoutError(
  cause: HostError,
  { verb, timeoutMs }: { readonly verb: string; readonly timeoutMs: number | undefined },
): HostError {
  return new HostError('call-timeout', `${verb} took longer than --timeout ${timeoutMs} ms: ${cause.message}`, {
    hint: cause.hint ?? 'Raise --timeout, or leave it out',
    ...(cause.detail && { detail: cause.detail }),
    cause,
  });
}
