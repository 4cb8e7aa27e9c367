import type { Discovery } from './fixture-discoveries.js';
import type { ToolListName } from './fixture-lists.js';

/** How the fixture deviates from a correct server; passed to another process as JSON. */
export interface FixtureOptions {
  /** The eras that the server speaks. Default: the era of the place. */
  readonly speaks?: 'legacy' | 'modern' | 'both';
  /** The version in the response to initialize. Default: the version that the client requests. */
  readonly version?: unknown;
  readonly refusal?: { readonly code: number; readonly message: string };
  readonly list?: ToolListName;
  readonly capabilities?: object;
  /** Over HTTP: no stream for messages outside a call (405 to GET). */
  readonly stream?: 'none';
  /** Over HTTP: the server forgets a session before its first call. */
  readonly memory?: 'none';
  /** What the server does instead of responding to the handshake, or before it responds. */
  readonly handshake?: 'silence' | 'death' | 'a question first' | 'twice';
  /** The response to server/discover. */
  readonly discovery?: Discovery;
  /** The server dies on server/discover. */
  readonly probe?: 'death';
  /** Over HTTP, modern era: sends an Mcp-Session-Id header, which only the legacy era has. */
  readonly session?: 'offered';
  /** How long lists and resources are fresh, and for whom. */
  readonly cache?: { readonly ttlMs?: unknown; readonly cacheScope?: string };
  /** How the server deviates on subscriptions/listen. */
  readonly subscription?: 'refused' | 'a note before it is acknowledged';
}
