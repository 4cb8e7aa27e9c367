import type { ErrorCode } from '../base/error-codes.js';
import type { HostError } from '../base/errors.js';

/** Why a request got no response, as far as that decides about a retry. */
export type FailureKind = (typeof RETRIES)[number]['failure'];

interface RetryRule {
  readonly failure: string;
  /** Whether the server may have executed the request. */
  readonly mayHaveRun: boolean;
  /** Which requests are retried: all, only those that are safe to repeat, or none. */
  readonly repeats: 'all' | 'safe' | 'none';
  readonly times: number;
  /** What has to happen before the retry. */
  readonly after: 'connection' | 'handshake' | 'listing' | 'pause' | 'sign-in' | 'nothing';
  /** Who retries by itself: its caller sees the failure only after that retry. */
  readonly by?: 'session' | 'call';
}

/**
 * Every retry: when and how often. The ones that a session or a call makes by itself are listed as well, to have them
 * in one place.
 */
export const RETRIES = [
  /** The request was never sent: the server was unreachable, or its connection had ended before. */
  { failure: 'unsent', mayHaveRun: false, repeats: 'all', times: 2, after: 'connection' },
  /** The server has lost our session and ignored the request: wire/eras/legacy.ts repeats the handshake. */
  { failure: 'session-lost', mayHaveRun: false, repeats: 'all', times: 1, after: 'handshake', by: 'session' },
  /** Headers that the tool's definition needs were missing: connection/requests/call-tool.ts lists the tools anew. */
  { failure: 'header-mismatch', mayHaveRun: false, repeats: 'all', times: 1, after: 'listing', by: 'call' },
  /** The connection ended, or the response was truncated, after the request had been sent. */
  { failure: 'cut', mayHaveRun: true, repeats: 'safe', times: 1, after: 'connection' },
  /** Too many requests: the server ignored this one. */
  { failure: 'throttled', mayHaveRun: false, repeats: 'all', times: 1, after: 'pause' },
  /** A gateway or proxy got no response from the server. */
  { failure: 'unavailable', mayHaveRun: true, repeats: 'safe', times: 1, after: 'pause' },
  /** The user has to sign in first. */
  { failure: 'unauthorized', mayHaveRun: false, repeats: 'none', times: 0, after: 'sign-in' },
  /** The server accepts no more requests: a retry would add to its load. */
  { failure: 'overloaded', mayHaveRun: false, repeats: 'none', times: 0, after: 'nothing' },
  /** No response in time; it may still come. */
  { failure: 'timed-out', mayHaveRun: true, repeats: 'none', times: 0, after: 'nothing' },
  { failure: 'cancelled', mayHaveRun: true, repeats: 'none', times: 0, after: 'nothing' },
  /** The server failed with an HTTP status only. */
  { failure: 'broken', mayHaveRun: true, repeats: 'none', times: 0, after: 'nothing' },
  /** A response, if an unhelpful one: the request has ended. */
  { failure: 'answered', mayHaveRun: false, repeats: 'none', times: 0, after: 'nothing' },
] as const satisfies readonly RetryRule[];

/** The largest number of attempts for one request, whatever its failures. */
export const MAX_ATTEMPTS = 4;

/** The failures of a request so far. */
export interface AttemptHistory {
  /** Executing the request twice has the effect of executing it once. */
  readonly isSafe: boolean;
  readonly failures: readonly FailureKind[];
}

export type RetryDecision =
  | { readonly kind: 'again'; readonly after: RetryRule['after'] }
  /** `unknown`: the server may have executed the request. */
  | { readonly kind: 'over'; readonly outcome: 'error' | 'unknown' };

/** Decides after the latest failure of a request. */
export function decideRetry({ isSafe, failures }: AttemptHistory): RetryDecision {
  const rule = ruleOf(failures.at(-1)!);
  const times = failures.filter((setback) => setback === rule.failure).length;
  const isAllowed = rule.by === undefined && (rule.repeats === 'all' || (rule.repeats === 'safe' && isSafe));
  // A later attempt that was never sent does not undo one that may have run.
  const isRisky = failures.some(mayHaveRun);
  const isHarmless = isSafe || !isRisky;
  if (isAllowed && isHarmless && times <= rule.times && failures.length < MAX_ATTEMPTS) {
    return { kind: 'again', after: rule.after };
  }
  // A response settles a request that may be repeated, whatever happened to earlier attempts.
  const isSettled = rule.failure === 'answered';
  return { kind: 'over', outcome: isRisky && !isSettled ? 'unknown' : 'error' };
}

/** Whether the server may have executed the request. */
export function mayHaveRun(setback: FailureKind): boolean {
  return ruleOf(setback).mayHaveRun;
}

function ruleOf(setback: FailureKind): RetryRule {
  return RETRIES.find((rule) => rule.failure === setback)!;
}

/** By code and status, never by text. Anything not listed counts as a response. */
export function failureKindOf({ code, detail }: HostError): FailureKind {
  if (code === 'http-failed' && detail?.kind === 'http') return ofStatus(detail.status);
  return FAILURES.get(code) ?? 'answered';
}

const FAILURES: ReadonlyMap<ErrorCode, FailureKind> = new Map<ErrorCode, FailureKind>([
  ['connect-failed', 'unsent'],
  ['connect-timeout', 'unsent'],
  ['start-failed', 'unsent'],
  ['sandbox-unavailable', 'unsent'],
  ['session-lost', 'session-lost'],
  ['connection-closed', 'cut'],
  ['http-failed', 'cut'],
  ['unauthorized', 'unauthorized'],
  ['overloaded', 'overloaded'],
  ['call-timeout', 'timed-out'],
  ['cancelled', 'cancelled'],
]);

function ofStatus(status: number): FailureKind {
  if (status === 429) return 'throttled';
  if (status === 502 || status === 503 || status === 504) return 'unavailable';
  return status >= 500 || status < 400 ? 'broken' : 'answered';
}

/** Milliseconds until the retry, by the server's Retry-After if any; undefined when that is too long. */
export function retryDelayMs({ detail }: HostError, defaultMs = PAUSE_MS): number | undefined {
  const said = detail?.kind === 'http' ? detail.retryAfterMs : undefined;
  if (said === undefined) return defaultMs;
  return said <= LONGEST_PAUSE_MS ? said : undefined;
}

const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5_000; // a caller that would wait longer is told when to retry instead
