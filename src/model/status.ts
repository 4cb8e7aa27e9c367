import type { HostError } from '../base/errors.js';
import { unreachable } from '../base/never.js';

/** One server's life, without resources in it: safe to print, send and compare. Times are of the monotonic clock. */
export type ServerStatus =
  | { readonly kind: 'disabled'; readonly reason: DisabledReason }
  /** Not started yet: nobody has used it. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'pending' }
  /** `attempts`: how many it took since it was last connected for long. */
  | { readonly kind: 'connected'; readonly protocol: string; readonly since: number; readonly attempts: number }
  | { readonly kind: 'reconnecting'; readonly attempt: number; readonly retryAt: number; readonly error: HostError }
  | { readonly kind: 'needs-auth'; readonly error: HostError }
  | { readonly kind: 'failed'; readonly error: HostError };

export type DisabledReason = 'user' | 'unapproved' | 'untrusted' | 'policy' | 'duplicate';

/** What happens to a server. `at` is of the monotonic clock. */
export type ServerEvent = { readonly at: number } & (
  | { readonly kind: 'disable'; readonly reason: DisabledReason }
  /** It may run again, and waits until somebody uses it. */
  | { readonly kind: 'enable' }
  /** From the beginning: at the host's start, at its first use, by hand, after a sign-in. */
  | { readonly kind: 'start'; readonly why: StartReason }
  | { readonly kind: 'opened'; readonly protocol: string }
  /** It wants to know who asks. `canSignIn`: somebody can do something about that; otherwise its entry has said it already. */
  | { readonly kind: 'unauthorized'; readonly error: HostError; readonly canSignIn: boolean }
  /** The connection ended, or an attempt to make one. `jitter`: from 0 to 1, by chance. */
  | { readonly kind: 'lost'; readonly error: HostError; readonly jitter: number }
);

export type StartReason = 'host' | 'use' | 'user' | 'sign-in';

export interface ReconnectLimits {
  readonly maxAttempts: number;
  readonly floorMs: number;
  readonly ceilingMs: number;
  /** Only who was connected for as long as this starts to count anew. */
  readonly steadyMs: number;
}

export const RECONNECT_LIMITS: ReconnectLimits = {
  maxAttempts: 5,
  floorMs: 1_000,
  ceilingMs: 30_000,
  steadyMs: 60_000,
};

/** The whole lifecycle. Pure: no clock, no I/O, no timers; `Connection` runs the effects. */
export function transition(status: ServerStatus, event: ServerEvent, limits: ReconnectLimits): ServerStatus {
  switch (event.kind) {
    case 'disable':
      return { kind: 'disabled', reason: event.reason };
    case 'enable':
      return status.kind === 'disabled' ? { kind: 'idle' } : status;
    case 'start':
      // What was disabled is enabled first: nobody starts it by using it.
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

/** Late news from an abandoned attempt must not wake a server that rests. */
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

/** Doubling, and by chance a little shorter, so that a hundred servers that went down together do not come back together. */
function delayOf(attempt: number, jitter: number, { floorMs, ceilingMs }: ReconnectLimits): number {
  return Math.min(floorMs * 2 ** (attempt - 1), ceilingMs) * (1 - JITTER * Math.min(Math.max(jitter, 0), 1));
}

const JITTER = 0.25;
