import { HostError } from '../base/errors.js';
import type { Invocation } from './arguments.js';
import type { Io } from './io.js';
import { toMs } from './milliseconds.js';

/** When a run has to end: at Ctrl-C, and when --timeout is over. */
export interface RunDeadline extends Disposable {
  /** Aborts then. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number | undefined;
  /** --timeout is over. */
  readonly isLate: boolean;
  /** What --timeout ended, told as what it is. */
  readonly explain: (cause: unknown) => unknown;
}

export function openDeadline(invocation: Invocation, { interrupted }: Io): RunDeadline {
  const timeoutMs = toMs(invocation.value('timeout'));
  const late = new AbortController();
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => late.abort(), Math.min(timeoutMs, LONGEST_TIMER));
  return {
    signal: interrupted ? AbortSignal.any([interrupted, late.signal]) : late.signal,
    timeoutMs,
    get isLate() {
      return late.signal.aborted;
    },
    explain: (cause) => {
      const isOurs = late.signal.aborted && cause instanceof HostError && cause.code === 'cancelled';
      return isOurs ? lateError(cause, { verb: invocation.verb.name, timeoutMs }) : cause;
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

function lateError(
  cause: HostError,
  { verb, timeoutMs }: { readonly verb: string; readonly timeoutMs: number | undefined },
): HostError {
  return new HostError('call-timeout', `${verb} took longer than --timeout ${timeoutMs} ms: ${cause.message}`, {
    hint: cause.hint ?? 'Give it more time, or leave --timeout away',
    ...(cause.detail && { detail: cause.detail }),
    cause,
  });
}

const LONGEST_TIMER = 2 ** 31 - 1; // beyond it node fires at once
