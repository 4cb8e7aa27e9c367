import type { Secret } from '../../base/secret.js';

/** All that is kept of one sign-in: enough to refresh its tokens without asking anybody where. */
export interface CredentialRecord {
  /** The server's URL and the account: what it belongs to. */
  readonly server: string;
  readonly account: string;
  /** Grows with each save: of two copies the higher one holds. */
  readonly revision: number;
  /** Who gave the tokens: they go back to nobody else. */
  readonly issuer: AuthorizationServer;
  readonly client: ClientIdentity;
  readonly tokens?: TokenSet | undefined;
  /** Of RFC 8707, exactly as it was sent. */
  readonly resource: string;
  /** All that were ever asked for: a step up asks for these and more. */
  readonly scopes: readonly string[];
  /** Whose entry was signed in through: `user`, or the id of a repository's. Undefined: before that was written down. */
  readonly by?: string | undefined;
  /** Private JWK that tokens are bound to (RFC 9449). */
  readonly dpopKey?: Secret | undefined;
}

/** What is known of an authorization server, of what it says about itself (RFC 8414). */
export interface AuthorizationServer {
  /** As it spells itself: compared byte by byte. */
  readonly issuer: string;
  readonly authorizationEndpoint?: string | undefined;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint?: string | undefined;
  readonly revocationEndpoint?: string | undefined;
  readonly deviceEndpoint?: string | undefined;
  readonly scopesSupported?: readonly string[] | undefined;
  readonly authMethods?: readonly string[] | undefined;
  readonly grantTypes?: readonly string[] | undefined;
  /** Undefined: it does not say. */
  readonly codeChallengeMethods?: readonly string[] | undefined;
  readonly dpopAlgorithms?: readonly string[] | undefined;
  readonly saysIss: boolean;
  readonly readsClientDocuments: boolean;
  /** It says nothing about itself at all, as servers of 2025-03-26 may: the paths are the usual ones. */
  readonly isAssumed: boolean;
}

export interface ClientIdentity {
  readonly clientId: string;
  readonly clientSecret?: Secret | undefined;
  /** `given`: by the entry. `document`: its id is the URL of one. `registered`: for this very record. */
  readonly origin: 'given' | 'document' | 'registered';
  readonly authMethod?: string | undefined;
  /** What it was registered with: servers compare it exactly. */
  readonly redirectUri?: string | undefined;
  /** Milliseconds since 1970; undefined for one that holds. */
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
