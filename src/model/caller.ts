import type { Implementation } from './implementation.js';

/**
 * Whom a call is made for: the person at the terminal, an embedder, a client of the gateway. Each has one object for as
 * long as it makes calls: callers are compared by identity.
 */
export interface Caller {
  /**
   * The caller that this one is a call of: for a gateway, which has one caller for each call of a client. Calls of one
   * group share what a server is told of them. A question that may belong to any of them goes to the newest.
   */
  readonly group?: Caller | undefined;
  /**
   * Several clients may stand behind this group that cannot be told apart: what may belong to several of its calls is
   * refused, and goes to none of them.
   */
  readonly mayBeSeveral?: boolean | undefined;
  /**
   * Whose connections its calls use. Callers without one share the host's; others have their own to each legacy server,
   * which keeps state for a session, and share the host's to a modern one.
   */
  readonly lane?: string | undefined;
  /** Names the caller in the ledger, rules and limits. A result marked private is cached for one principal only. */
  readonly principal: string;
  /** The caller's own `clientInfo`; undefined when this program itself is the client. */
  readonly client: Implementation | undefined;
  /** The caller's MCP client capabilities: servers are told exactly these on its behalf. */
  readonly capabilities: { readonly [name: string]: unknown };
  /**
   * `false`: servers are told of tasks only as far as `capabilities` declare them, since the caller follows tasks itself
   * or wants none. Default: every modern server may make a task of a call, which is waited for.
   */
  readonly waitsForTasks?: false | undefined;
  /** The folders that the caller works in, as `roots/list` gives them. */
  readonly roots: readonly CallerRoot[];
  /**
   * Answers a server's request: `elicitation/create`, `sampling/createMessage` or `roots/list`, as far as the
   * capabilities declare it. Contract: stops waiting when the signal aborts. A `JsonRpcFailure` that this rejects with
   * is sent to the server; of any other error the server learns only that there was one.
   */
  answer(method: string, params: { readonly [name: string]: unknown }, asked: CallerQuestion): Promise<object>;
  /**
   * Whether a question is for a page that the caller's user is visiting already: `answer` waits a while then, and the
   * question does not count among those that a server may ask for one call. Contract: must not throw; a visit ends.
   */
  readonly isVisiting?: ((method: string, params: { readonly [name: string]: unknown }) => boolean) | undefined;
  /**
   * Receives the log messages of servers that belong to the caller's calls. Progress goes to `CallContext.onProgress`
   * of each call. Contract: must not throw.
   */
  readonly onLog?: ((message: CallerLog) => void) | undefined;
  /**
   * The lowest level of log messages that a caller with a `lane` wants where a call names none, read anew each time;
   * undefined: none. Callers without a lane get all messages.
   */
  readonly logLevel?: string | undefined;
  /** A server says that what it sent the caller to a page for is done. Only for callers with a `lane`; must not throw. */
  readonly onElicitationComplete?: ((done: { server: string; elicitationId: string }) => void) | undefined;
  /**
   * A server of 2025-11-25 says how a task is: with secrets redacted, and `taskId` as the server wrote it. Only for callers
   * with a `lane`; must not throw.
   */
  readonly onTaskStatus?: ((status: { server: string; task: CallerTask }) => void) | undefined;
}

/** The caller that stands for all calls of one client: what a server is told of them is told once. */
export function groupOf(caller: Caller): Caller {
  return caller.group ?? caller;
}

/** A folder that a caller lets servers know of. */
export interface CallerRoot {
  /** A `file://` URI. */
  readonly uri: string;
  /** A name for people. */
  readonly name?: string;
}

/** The parameters of `notifications/tasks/status`. */
export interface CallerTask {
  /** The server's own id. */
  readonly taskId: string;
  /** What else the server says of it, such as `status` and `statusMessage`. */
  readonly [field: string]: unknown;
}

/** Where a question for a caller comes from. */
export interface CallerQuestion {
  /** The name of the server that asks. */
  readonly server: string;
  /** Aborts when the server no longer wants an answer, or is gone. */
  readonly signal: AbortSignal;
}

/** A `notifications/message`: bounded in size, otherwise as the server sent it, neither cleaned nor redacted. */
export interface CallerLog {
  /** The name of the server. */
  readonly server: string;
  /** One of the levels of RFC 5424, from `debug` to `emergency`, if the server keeps to the specification. */
  readonly level: string;
  /** Which part of the server wrote it, where the server says so. */
  readonly logger?: string;
  /** A text or any other JSON value. */
  readonly data: unknown;
}
