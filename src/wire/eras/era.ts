import type { JsonObject } from '../../base/json.js';
import type { Implementation } from '../../model/implementation.js';
import type { ResponderOptions } from '../inbound.js';
import type { CallOptions, Peer } from '../peer.js';
import type { Pipe } from '../pipe.js';

/** One of the two ways in which MCP is spoken: with a handshake (until 2025-11-25), or without (since 2026-07-28). */
export interface Era {
  readonly name: 'legacy' | 'modern';
  /** Opens the conversation. Rejects with a HostError when server and host have no protocol in common. */
  open(line: OpenPipe, options: OpenMcpSessionOptions): Promise<McpSession>;
}

/** A pipe, and the peer that speaks through it. */
export interface OpenPipe {
  readonly pipe: Pipe;
  readonly peer: Peer;
}

/**
 * Who answers the server: a legacy server's requests reach the peer, a modern one's come inside its answers. A legacy server is told
 * of client and capabilities once, as the connection is opened; a modern one with each request, by its owner.
 */
export interface OpenMcpSessionOptions extends ResponderOptions {
  /** This program, which introduces itself where the caller does not. */
  readonly client: Implementation;
  /** What the opener, or this host, can do for the server. */
  readonly capabilities: JsonObject;
  readonly onNotification?: ((method: string, params: JsonObject) => void) | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The server has said something, whatever it was. */
  readonly onFirstResponse?: (() => void) | undefined;
  /** Whether a server that has forgotten us is to be greeted again over this line; it is unless said otherwise. */
  readonly mayRenew?: (() => boolean) | undefined;
  /** The server had forgotten us, and was greeted again: what it told before may not hold any more. */
  readonly onRenewal?: (() => void) | undefined;
}

/** A conversation in one era: what was agreed, and how to ask. */
export interface McpSession {
  readonly era: Era['name'];
  readonly version: string;
  /** What the server says of itself; cleaned and cut. */
  readonly server: Implementation;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  /** Whether arguments that a tool's schema marks go into headers of their own, too. */
  readonly mirrorsArguments: boolean;
  /**
   * Asks, and answers what the server asks in return before it can answer. What it gives is complete, or the handle of a
   * task where a tool was called.
   */
  request(method: string, params: object | undefined, options?: CallOptions): Promise<JsonObject>;
  /**
   * What to be told of from now on, in place of what was said before. The notes reach `onNotification`. Never rejects: a
   * server that cannot tell is one whose lists have to be asked for.
   */
  watch(wanted: SubscriptionFilter): Promise<void>;
  /** What the server has to know before it can go on, answered by the owner; for a task that asks. */
  answerInputs(requests: unknown, options?: Pick<CallOptions, 'signal' | 'owner'>): Promise<JsonObject>;
}

/** Changes that somebody wants to hear of. */
export interface SubscriptionFilter {
  readonly lists?: readonly ListName[];
  /** URIs of resources. */
  readonly resources?: readonly string[];
}

export type ListName = 'tools' | 'prompts' | 'resources';
