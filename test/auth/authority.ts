/** An authorization server as a protected server sees it: it issues tokens and can check one. */
export interface Authority {
  readonly issuer: string;
  /** Undefined when this server did not issue the token, or when the token is no longer valid. */
  check(token: string): Promise<Granted | undefined>;
}

export interface Granted {
  /** The URL of the server that the token is for. */
  readonly audience: string | undefined;
  readonly scopes: readonly string[];
  /** The user; the client's id where a token has no user. */
  readonly account: string;
  /** The thumbprint of the key that the token is bound to (DPoP). */
  readonly key?: string | undefined;
}

/** Counts of the requests to an authorization server. */
export interface Tally {
  /** Requests to the token endpoint by grant type, failed ones included. */
  readonly tokens: Record<string, number>;
  /** Requests to the token endpoint that got a token, by grant type. */
  readonly granted: Record<string, number>;
  registrations: number;
  revocations: number;
  discoveries: number;
}

export function emptyTally(): Tally {
  return { tokens: {}, granted: {}, registrations: 0, revocations: 0, discoveries: 0 };
}

export function count(counts: Record<string, number>, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}
