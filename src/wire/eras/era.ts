import type { JsonObject } from '../message.js';
import type { CallOptions, Peer } from '../peer.js';
import type { Pipe } from '../pipe.js';

/** One of the two ways in which MCP is spoken: with a handshake (until 2025-11-25), or without (since 2026-07-28). */
export interface Era {
  readonly name: 'legacy' | 'modern';
  /** Opens the conversation. Rejects with a HostError when server and host have no protocol in common. */
  open(line: Line, options: OpenSessionOptions): Promise<Session>;
}

/** A pipe, and the peer that speaks through it. */
export interface Line {
  readonly pipe: Pipe;
  readonly peer: Peer;
}

export interface OpenSessionOptions {
  readonly client: Implementation;
  /** What this host can do for the server. */
  readonly capabilities: JsonObject;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
}

/** A conversation in one era: what was agreed, and how to ask. */
export interface Session {
  readonly era: Era['name'];
  readonly version: string;
  /** What the server says of itself; cleaned and cut. */
  readonly server: Implementation;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  request(method: string, params: object | undefined, options?: CallOptions): Promise<JsonObject>;
}
