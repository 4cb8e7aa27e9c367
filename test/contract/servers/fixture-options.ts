import type { Discovery } from './fixture-discoveries.js';
import type { ToolListName } from './fixture-lists.js';

/** How the fixture differs from a server at its best; goes to another process as JSON. */
export interface FixtureOptions {
  /** Which eras it knows; the one that the suite is in by default. */
  readonly speaks?: 'legacy' | 'modern' | 'both';
  /** What it answers to initialize; the client's own wish by default. */
  readonly version?: unknown;
  readonly refusal?: { readonly code: number; readonly message: string };
  readonly list?: ToolListName;
  readonly capabilities?: object;
  /** Over HTTP: there is no stream for what nobody asked for. */
  readonly stream?: 'none';
  /** Over HTTP: a session is forgotten as soon as it is open. */
  readonly memory?: 'none';
  /** What it does instead of greeting back, or before it does. */
  readonly handshake?: 'silence' | 'death' | 'a question first' | 'twice';
  /** What it answers to server/discover. */
  readonly discovery?: Discovery;
  /** It goes down when it is asked for its era. */
  readonly probe?: 'death';
  /** Over HTTP, in the new era: it names sessions, as it once did. */
  readonly session?: 'offered';
  /** What it calls its lists and resources: fresh for so long, and for whom. */
  readonly cache?: { readonly ttlMs?: unknown; readonly cacheScope?: string };
  /** What it does with whoever wants to hear of changes. */
  readonly subscription?: 'refused' | 'a note before it is acknowledged';
}
