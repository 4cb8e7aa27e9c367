import type { AuthFetch } from './auth-fetch.js';

/** What the functions of the protocol need of the world around them. */
export interface OAuthContext {
  readonly fetch: AuthFetch;
  /** Milliseconds since 1970. */
  readonly wall: () => number;
  /** Where relative paths of keys and assertions start from. */
  readonly cwd?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}
