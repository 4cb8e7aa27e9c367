import type { HostError } from '../base/errors.js';
import type { RetriedOutcome } from '../connection/call-with-retries.js';
import type { CallContext, ToolResult } from '../model/tool.js';
import type { ToolRequest } from './host-options.js';

/** The outcome of a request to a server: the result, or the error. A server's failure is a value, not an exception. */
export type Answered<Result extends object> =
  | ({ readonly ok: true } & Result & FromServer)
  | ({ readonly ok: false; readonly error: HostError } & FromServer);

/** The server's own response, present where `keepServerResult` asked for it. */
export type FromServer = Pick<ToolResult, 'serverResult' | 'changedByHook' | 'isNewLane'>;

/** Options of everything that waits for a server. */
export interface AskOptions {
  /** Ends the waiting; the request fails as `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the response. Default: the entry's `timeout`, or 120000. */
  readonly timeoutMs?: number | undefined;
}

/** Options of a request to a server that permissions decide about. */
export interface TypedOptions extends AskOptions, Omit<CallContext, 'callId'>, Pick<ToolRequest, 'ask'> {
  /**
   * Whether a person asked for exactly this, so that no permission question is needed (the default). `false` decides as
   * for a model's call. Rules that deny apply to both.
   */
  readonly isTyped?: boolean | undefined;
}

export function toAnswered<Result extends object>(carried: RetriedOutcome<Result>): Answered<Result> {
  return carried.outcome === 'ok' ? { ok: true, ...carried.result } : { ok: false, error: carried.error };
}

export function unanswered(error: HostError): { readonly ok: false; readonly error: HostError } {
  return { ok: false, error };
}
