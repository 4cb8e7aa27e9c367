import type { HostError } from '../base/errors.js';
import type { RetriedOutcome } from '../connection/call-with-retries.js';
import type { CallContext, ToolResult } from '../model/tool.js';

/** What somebody asked a host for, or why there is none: a server's fault is a value, never an exception. */
export type Answered<Result extends object> =
  | ({ readonly ok: true } & Result & FromServer)
  | ({ readonly ok: false; readonly error: HostError } & FromServer);

/** What the server itself said, where that was asked for. */
type FromServer = Pick<ToolResult, 'serverResult' | 'changedByHook'>;

/** How long somebody waits, and whether they still do. */
export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** For what is asked of a server and decided about. */
export interface TypedOptions extends AskOptions, Pick<CallContext, 'caller' | 'keepServerResult'> {
  /** A person wants exactly this, unless said otherwise: `false` has it decided like a model's call. Rules that deny hold for both. */
  readonly isTyped?: boolean | undefined;
}

export function toAnswered<Result extends object>(carried: RetriedOutcome<Result>): Answered<Result> {
  return carried.outcome === 'ok' ? { ok: true, ...carried.result } : { ok: false, error: carried.error };
}

export function unanswered(error: HostError): { readonly ok: false; readonly error: HostError } {
  return { ok: false, error };
}
