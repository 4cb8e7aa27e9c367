import type { AuthFetch } from './auth-fetch.js';

export interface OAuthContext {
  readonly fetch: AuthFetch;
  /** Milliseconds since 1970. */
  readonly wall: () => number;
  /** The folder that relative paths of keys and assertions are resolved against. */
  readonly cwd?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}
