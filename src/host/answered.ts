import type { HostError } from '../base/errors.js';
import type { Carried } from '../connection/carry.js';
import type { KeptServerResult } from '../connection/kept-server-result.js';
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

/** Who asks for something of a server may want the server's own answer beside what is made of it: `serverResult`. */
export type KeepOptions = Pick<CallContext, 'keepServerResult'>;

export function toAnswered<Result extends object>(carried: Carried<Result>, kept?: KeptServerResult): Answered<Result> {
  return carried.outcome === 'ok'
    ? { ok: true, ...carried.result, ...kept?.toField() }
    : { ok: false, error: carried.error, ...kept?.toField(carried.error) };
}

export function unanswered(error: HostError): { readonly ok: false; readonly error: HostError } {
  return { ok: false, error };
}
