import type { ErrorCode, HostError } from '../base/errors.js';

/** What kept a request from being answered, as far as it decides whether it may be made again. */
export type FailureKind = (typeof RETRIES)[number]['failure'];

interface RetryRule {
  readonly failure: string;
  /** Whether the server may have done what it was asked for. */
  readonly mayHaveRun: boolean;
  /** Whose requests are made again: anybody's, only those that do no harm twice, or nobody's. */
  readonly repeats: 'all' | 'safe' | 'none';
  readonly times: number;
  /** What has to come about before that. */
  readonly after: 'connection' | 'handshake' | 'listing' | 'pause' | 'sign-in' | 'nothing';
  /** Who makes it again by itself: whoever hears of it then hears that this has been done. */
  readonly by?: 'session' | 'call';
}

/**
 * All that is ever made again, when and how often. What a session or a call repeats by itself stands here as well, so that
 * there is one place to look.
 */
export const RETRIES = [
  /** It never left: the server was not reached, or its connection had ended before. */
  { failure: 'unsent', mayHaveRun: false, repeats: 'all', times: 2, after: 'connection' },
  /** The server has forgotten our session and looked at nothing: wire/eras/legacy.ts greets it anew. */
  { failure: 'session-lost', mayHaveRun: false, repeats: 'all', times: 1, after: 'handshake', by: 'session' },
  /** The server misses headers that the tool's definition asks for: connection/requests/call-tool.ts lists them anew. */
  { failure: 'header-mismatch', mayHaveRun: false, repeats: 'all', times: 1, after: 'listing', by: 'call' },
  /** The connection ended, or its answer was cut off, after it had left. */
  { failure: 'cut', mayHaveRun: true, repeats: 'safe', times: 1, after: 'connection' },
  /** Too many requests: none of them was looked at. */
  { failure: 'throttled', mayHaveRun: false, repeats: 'all', times: 1, after: 'pause' },
  /** Whatever stands before the server did not get an answer from it. */
  { failure: 'unavailable', mayHaveRun: true, repeats: 'safe', times: 1, after: 'pause' },
  /** Somebody has to sign in first. */
  { failure: 'unauthorized', mayHaveRun: false, repeats: 'none', times: 0, after: 'sign-in' },
  /** The server takes nothing more: made again, it would only add to that. */
  { failure: 'overloaded', mayHaveRun: false, repeats: 'none', times: 0, after: 'nothing' },
  /** No answer in time. It may come yet. */
  { failure: 'late', mayHaveRun: true, repeats: 'none', times: 0, after: 'nothing' },
  { failure: 'cancelled', mayHaveRun: true, repeats: 'none', times: 0, after: 'nothing' },
  /** The server failed over it, and said so with a status only. */
  { failure: 'broken', mayHaveRun: true, repeats: 'none', times: 0, after: 'nothing' },
  /** An answer, if not one that helps: that is how the request ended. */
  { failure: 'answered', mayHaveRun: false, repeats: 'none', times: 0, after: 'nothing' },
] as const satisfies readonly RetryRule[];

/** However setbacks follow one another, a request is made no more often than this. */
export const MAX_ATTEMPTS = 4;

/** What a request has been through. */
export interface AttemptHistory {
  /** Doing it twice does no more than doing it once. */
  readonly isSafe: boolean;
  readonly failures: readonly FailureKind[];
}

export type RetryDecision =
  | { readonly kind: 'again'; readonly after: RetryRule['after'] }
  /** `unknown`: the server may have done it, and nobody can tell. */
  | { readonly kind: 'over'; readonly outcome: 'error' | 'unknown' };

/** What becomes of a request after its latest setback. */
export function decideRetry({ isSafe, failures }: AttemptHistory): RetryDecision {
  const rule = ruleOf(failures.at(-1)!);
  const times = failures.filter((setback) => setback === rule.failure).length;
  const isAllowed = rule.by === undefined && (rule.repeats === 'all' || (rule.repeats === 'safe' && isSafe));
  // What may have run before is not made safe by a later try that never left.
  const isRisky = failures.some(mayHaveRun);
  const isHarmless = isSafe || !isRisky;
  if (isAllowed && isHarmless && times <= rule.times && failures.length < MAX_ATTEMPTS) {
    return { kind: 'again', after: rule.after };
  }
  // An answer settles it, whatever happened to earlier tries of something that may be done twice.
  const isSettled = rule.failure === 'answered';
  return { kind: 'over', outcome: isRisky && !isSettled ? 'unknown' : 'error' };
}

/** Whether the server may have done what it was asked for. */
export function mayHaveRun(setback: FailureKind): boolean {
  return ruleOf(setback).mayHaveRun;
}

function ruleOf(setback: FailureKind): RetryRule {
  return RETRIES.find((rule) => rule.failure === setback)!;
}

/** By code and status, never by text. Whatever is not listed is an answer, or as good as one. */
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
  ['call-timeout', 'late'],
  ['cancelled', 'cancelled'],
]);

function ofStatus(status: number): FailureKind {
  if (status === 429) return 'throttled';
  if (status === 502 || status === 503 || status === 504) return 'unavailable';
  return status >= 500 || status < 400 ? 'broken' : 'answered';
}

/** How long to wait before it is asked again, where a server may have said so; undefined when that is too long. */
export function retryDelayMs({ detail }: HostError, defaultMs = PAUSE_MS): number | undefined {
  const said = detail?.kind === 'http' ? detail.retryAfterMs : undefined;
  if (said === undefined) return defaultMs;
  return said <= LONGEST_PAUSE_MS ? said : undefined;
}

const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5_000; // whoever would have to wait for longer had better hear when to come back
