/** A server and what it is given. May hold secrets: it is compared and never shown. */
export interface ServerIdentity {
  /** Equal for the same server, whatever its name. */
  readonly signature: string;
  /** By what is given, as text; empty: nothing. */
  readonly given: Readonly<Record<GivenField, string>>;
}

/** With another one of these, the same program or URL is often another account or other data. */
export type GivenField = (typeof GIVEN_FIELDS)[number];

export const GIVEN_FIELDS = ['env', 'headers', 'headersHelper', 'cwd', 'oauth', 'xaa', 'tls', 'account'] as const;

/** What two entries of the same server give it differently; undefined where they are of different servers. */
export function givenDifferently(one: ServerIdentity, other: ServerIdentity): readonly GivenField[] | undefined {
  if (one.signature !== other.signature) return undefined;
  return GIVEN_FIELDS.filter((field) => one.given[field] !== other.given[field]);
}
