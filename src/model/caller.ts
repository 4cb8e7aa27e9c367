import type { Implementation } from './implementation.js';

/**
 * Whoever a call is made for: the person at the terminal, an embedder, a client of the gateway. One object for each of them, for as
 * long as it makes calls: whether two calls have the same caller is told by identity.
 */
export interface Caller {
  /** For the ledger, rules and limits. What a server calls private is cached for one principal and given to no other. */
  readonly principal: string;
  /** How the caller introduces itself; undefined where this program is all that there is to introduce. */
  readonly client: Implementation | undefined;
  /** The client capabilities of MCP that the caller has: exactly these are declared to servers on its behalf. */
  readonly capabilities: { readonly [name: string]: unknown };
  /** The folders that the caller works in, as `roots/list` gives them. */
  readonly roots: readonly CallerRoot[];
  /**
   * Answers a request of a server: `elicitation/create`, `sampling/createMessage` or `roots/list`, as far as the capabilities declare it.
   * Contract: lets go when the signal aborts. The server gets to read a JsonRpcFailure that this rejects with, and of any other
   * error only that there was one.
   */
  answer(method: string, params: { readonly [name: string]: unknown }, asked: CallerQuestion): Promise<object>;
  /**
   * Log messages of servers that belong to the caller's calls. Progress goes to the call itself: `CallContext.onProgress`.
   * Contract: must not throw.
   */
  readonly onLog?: ((message: CallerLog) => void) | undefined;
}

export interface CallerRoot {
  readonly uri: string;
  readonly name?: string;
}

export interface CallerQuestion {
  readonly server: string;
  readonly signal: AbortSignal;
}

/** A `notifications/message`: bounded in size, and otherwise as the server sent it, neither cleaned nor redacted. */
export interface CallerLog {
  readonly server: string;
  readonly level: string;
  readonly logger?: string;
  readonly data: unknown;
}
