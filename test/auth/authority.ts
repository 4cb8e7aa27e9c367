/** Who gives tokens, and can be asked what one is good for. */
export interface Authority {
  readonly issuer: string;
  /** Undefined: it is not, or no longer, one of theirs. */
  check(token: string): Promise<Granted | undefined>;
}

export interface Granted {
  /** Which server it is for. */
  readonly audience: string | undefined;
  readonly scopes: readonly string[];
  /** The person, or the client where there is none. */
  readonly account: string;
  /** The thumbprint of the key that it is bound to. */
  readonly key?: string | undefined;
}

/** What an authorization server was asked for. */
export interface Tally {
  /** Requests at the token endpoint by grant type, also those that failed. */
  readonly tokens: Record<string, number>;
  /** Those of them that were answered with a token. */
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
