import type { HostError } from '../base/errors.js';
import { unreachable } from '../base/never.js';

/** The state of one server, without resources: safe to print, send and compare. Times are of the monotonic clock. */
export type ServerStatus =
  | { readonly kind: 'disabled'; readonly reason: DisabledReason }
  /** Not started: a lazy server that has not been used, or one whose line is not needed any more. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'pending' }
  /** `attempts`: attempts to reconnect since the last steady connection. */
  | { readonly kind: 'connected'; readonly protocol: string; readonly since: number; readonly attempts: number }
  | { readonly kind: 'reconnecting'; readonly attempt: number; readonly retryAt: number; readonly error: HostError }
  | { readonly kind: 'needs-auth'; readonly error: HostError }
  | { readonly kind: 'failed'; readonly error: HostError };

export type DisabledReason = 'user' | 'unapproved' | 'untrusted' | 'policy' | 'invalid' | 'duplicate';

/** An event of a server's lifecycle. `at` is of the monotonic clock. */
export type ServerEvent = { readonly at: number } & (
  | { readonly kind: 'disable'; readonly reason: DisabledReason }
  /** The server may run again, and is started by its first use. */
  | { readonly kind: 'enable' }
  /** Nothing needs the connection any more; the next use opens another. */
  | { readonly kind: 'rest' }
  /** The next attempt of a lost server is made now; it counts as the one that was waited for. */
  | { readonly kind: 'retry' }
  /** A fresh start: when the host opens, at the first use, by the user, after a sign-in. */
  | { readonly kind: 'start'; readonly why: StartReason }
  | { readonly kind: 'opened'; readonly protocol: string }
  /** The server refused the request. `canSignIn`: a sign-in can help; else the entry's own credentials failed. */
  | { readonly kind: 'unauthorized'; readonly error: HostError; readonly canSignIn: boolean }
  /** The connection, or an attempt to connect, has failed. `jitter`: random, from 0 to 1. */
  | { readonly kind: 'lost'; readonly error: HostError; readonly jitter: number }
);

export type StartReason = 'host' | 'use' | 'user' | 'sign-in';

export interface ReconnectLimits {
  readonly maxAttempts: number;
  readonly floorMs: number;
  readonly ceilingMs: number;
  /** The attempts are counted anew after a connection that lasted this long. */
  readonly steadyMs: number;
}

export const RECONNECT_LIMITS: ReconnectLimits = {
  maxAttempts: 5,
  floorMs: 1_000,
  ceilingMs: 30_000,
  steadyMs: 60_000,
};

/** The whole lifecycle. Pure: no clock, no I/O, no timers; `ServerLifecycle` runs the effects. */
export function transition(status: ServerStatus, event: ServerEvent, limits: ReconnectLimits): ServerStatus {
  switch (event.kind) {
    case 'disable':
      return { kind: 'disabled', reason: event.reason };
    case 'enable':
      return status.kind === 'disabled' ? { kind: 'idle' } : status;
    case 'rest':
      return status.kind === 'connected' ? { kind: 'idle' } : status;
    case 'retry':
      // An attempt under way is not begun again.
      return status.kind === 'reconnecting' && event.at < status.retryAt ? { ...status, retryAt: event.at } : status;
    case 'start':
      // A disabled server has to be enabled first: use does not start it.
      return status.kind === 'disabled' ? status : { kind: 'pending' };
    case 'opened':
      return opened(status, event);
    case 'unauthorized':
      if (!isActive(status)) return status;
      return { kind: event.canSignIn ? 'needs-auth' : 'failed', error: event.error };
    case 'lost':
      return lost(status, event, limits);
    default:
      return unreachable(event);
  }
}

/** Late events of an abandoned attempt must not wake an inactive server. */
function isActive({ kind }: ServerStatus): boolean {
  return kind === 'pending' || kind === 'connected' || kind === 'reconnecting';
}

function opened(status: ServerStatus, { protocol, at }: ServerEvent & { readonly kind: 'opened' }): ServerStatus {
  if (status.kind === 'pending') return { kind: 'connected', protocol, since: at, attempts: 0 };
  if (status.kind !== 'reconnecting') return status;
  return { kind: 'connected', protocol, since: at, attempts: status.attempt };
}

function lost(
  status: ServerStatus,
  { error, at, jitter }: ServerEvent & { readonly kind: 'lost' },
  limits: ReconnectLimits,
): ServerStatus {
  if (status.kind === 'pending') return { kind: 'failed', error };
  if (status.kind !== 'connected' && status.kind !== 'reconnecting') return status;
  const attempt = 1 + attemptsOf(status, at, limits);
  if (attempt > limits.maxAttempts) return { kind: 'failed', error };
  return { kind: 'reconnecting', attempt, retryAt: at + delayOf(attempt, jitter, limits), error };
}

function attemptsOf(
  status: ServerStatus & { readonly kind: 'connected' | 'reconnecting' },
  at: number,
  { steadyMs }: ReconnectLimits,
): number {
  if (status.kind === 'reconnecting') return status.attempt;
  return at - status.since >= steadyMs ? 0 : status.attempts;
}

/** Exponential backoff, randomly shortened so that servers that failed together do not reconnect together. */
function delayOf(attempt: number, jitter: number, { floorMs, ceilingMs }: ReconnectLimits): number {
  return Math.min(floorMs * 2 ** (attempt - 1), ceilingMs) * (1 - JITTER * Math.min(Math.max(jitter, 0), 1));
}

const JITTER = 0.25;
