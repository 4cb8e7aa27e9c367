import type { JsonObject } from '../../base/json.js';
import type { Implementation } from '../../model/implementation.js';
import type { ResponderOptions } from '../inbound.js';
import type { CallOptions, Peer } from '../peer.js';
import type { Pipe } from '../pipe.js';

/** One of the two eras of MCP: with a handshake (until 2025-11-25), or without (since 2026-07-28). */
export interface Era {
  readonly name: 'legacy' | 'modern';
  /** Opens the MCP session. Rejects with a HostError when server and host have no protocol version in common. */
  open(line: OpenPipe, options: OpenMcpSessionOptions): Promise<McpSession>;
}

/** A pipe and its peer. */
export interface OpenPipe {
  readonly pipe: Pipe;
  readonly peer: Peer;
}

/**
 * Options of an MCP session. A legacy server sends its requests as messages and learns client and capabilities once, in
 * the handshake; a modern one asks inside its results and learns them with each request, from its owner.
 */
export interface OpenMcpSessionOptions extends ResponderOptions {
  /** This program as the client, for callers that do not name their own. */
  readonly client: Implementation;
  /** The capabilities of the opener or of this host. */
  readonly capabilities: JsonObject;
  readonly onNotification?: ((method: string, params: JsonObject) => void) | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The server has sent its first response, whatever it says. */
  readonly onFirstResponse?: (() => void) | undefined;
  /** Whether a server that lost the session gets a new handshake over this connection; yes by default. */
  readonly mayRenew?: (() => boolean) | undefined;
  /** The server lost the session and got a new handshake: what it listed before may be outdated. */
  readonly onRenewal?: (() => void) | undefined;
}

/** An MCP session of one era: what the handshake agreed on, and how to send requests. */
export interface McpSession {
  readonly era: Era['name'];
  readonly version: string;
  /** The server's name, version and title, cleaned and cut. */
  readonly server: Implementation;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  /** Whether arguments that a tool's schema marks are also sent as headers. */
  readonly mirrorsArguments: boolean;
  /**
   * Sends a request, and answers what the server asks before it can respond (elicitation, sampling, roots). The result
   * is complete; for a tool call it may be the handle of a task.
   */
  request(method: string, params: object | undefined, options?: CallOptions): Promise<JsonObject>;
  /** `Peer.send`, where a request is never more than one message and its response; undefined where it may be. */
  readonly send?: Peer['send'] | undefined;
  /**
   * Replaces the set of changes to be notified of by `onNotification`. Never rejects: lists of a server that sends no
   * notifications are fetched instead.
   */
  watch(wanted: SubscriptionFilter): Promise<void>;
  /** The opener's level for log messages may have changed. Absent where each request names its own. */
  relevel?(): void;
  /** Has the owner answer the input requests of a task. */
  answerInputs(requests: unknown, options?: Pick<CallOptions, 'signal' | 'owner'>): Promise<JsonObject>;
}

/** The changes to be notified of. */
export interface SubscriptionFilter {
  readonly lists?: readonly ListName[];
  readonly resources?: readonly string[];
}

export type ListName = 'tools' | 'prompts' | 'resources';
