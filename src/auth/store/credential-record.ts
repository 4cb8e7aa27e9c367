import type { Secret } from '../../base/secret.js';

/** What is stored of one sign-in: enough to refresh its tokens without discovery. */
export interface CredentialRecord {
  /** The server's URL and the account that the record belongs to. */
  readonly server: string;
  readonly account: string;
  /** Grows with each save; of two copies the higher one is valid. */
  readonly revision: number;
  /** The issuer of the tokens; they are sent to no other authorization server. */
  readonly issuer: AuthorizationServer;
  readonly client: ClientIdentity;
  readonly tokens?: TokenSet | undefined;
  /** The `resource` parameter of RFC 8707, exactly as it was sent. */
  readonly resource: string;
  /** All scopes ever requested: a step-up requests these and more. */
  readonly scopes: readonly string[];
  /** Whose entry was used to sign in: `user`, or the id of a repository's entry. Undefined in older records. */
  readonly by?: string | undefined;
  /** Private JWK that tokens are bound to (RFC 9449). */
  readonly dpopKey?: Secret | undefined;
}

/** What is stored of an authorization server's metadata (RFC 8414). */
export interface AuthorizationServer {
  /** As the server spells it; compared byte by byte. */
  readonly issuer: string;
  readonly authorizationEndpoint?: string | undefined;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint?: string | undefined;
  readonly revocationEndpoint?: string | undefined;
  readonly deviceEndpoint?: string | undefined;
  readonly scopesSupported?: readonly string[] | undefined;
  readonly authMethods?: readonly string[] | undefined;
  readonly grantTypes?: readonly string[] | undefined;
  /** Undefined: the metadata does not say. */
  readonly codeChallengeMethods?: readonly string[] | undefined;
  readonly dpopAlgorithms?: readonly string[] | undefined;
  readonly saysIss: boolean;
  readonly readsClientDocuments: boolean;
  /** The server has no metadata, as 2025-03-26 allows, so the endpoints have the default paths. */
  readonly isAssumed: boolean;
}

export interface ClientIdentity {
  readonly clientId: string;
  readonly clientSecret?: Secret | undefined;
  /** `given`: by the entry. `document`: the id is the URL of a metadata document. `registered`: for this record. */
  readonly origin: 'given' | 'document' | 'registered';
  readonly authMethod?: string | undefined;
  /** The redirect URI of the registration; servers compare it exactly. */
  readonly redirectUri?: string | undefined;
  /** Milliseconds since 1970; undefined for a secret that does not expire. */
  readonly secretExpiresAt?: number | undefined;
}

export interface TokenSet {
  readonly accessToken: Secret;
  readonly type: 'Bearer' | 'DPoP';
  readonly refreshToken?: Secret | undefined;
  readonly idToken?: Secret | undefined;
  readonly scope?: string | undefined;
  /** Milliseconds since 1970; undefined when the server does not say. */
  readonly expiresAt?: number | undefined;
  readonly obtainedAt: number;
}
