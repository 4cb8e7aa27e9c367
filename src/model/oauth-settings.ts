import type { Secret } from '../base/secret.js';

/** The OAuth settings of a server's entry. All are optional: without them the server's own metadata decides. */
export interface OAuthSettings {
  /** A client registered beforehand, so that no dynamic registration is needed. */
  readonly clientId?: string;
  readonly clientSecret?: Secret;
  /** The https URL of our client metadata document, used as client id with authorization servers that support that. */
  readonly clientMetadataUrl?: string;
  /** The callback's port; default: any free port. */
  readonly callbackPort?: number;
  /** Requested instead of the scopes that the server names. */
  readonly scopes?: readonly string[];
  /** Where the authorization server's metadata is, if not at its well-known URL. */
  readonly authServerMetadataUrl?: string;
  /** Sign in through the identity provider of `settings.xaaIdp`, without a browser. */
  readonly xaa?: boolean;
  /** How a token is obtained; default: `authorization_code`, with a browser. */
  readonly grant?: OAuthGrant;
  /** PEM, or the path of a PEM file: the client authenticates by its signature (private_key_jwt). */
  readonly privateKey?: Secret;
  readonly signingAlgorithm?: string;
  /** For the grant `jwt_bearer`: a token of this workload, or the path of a file with one. */
  readonly assertion?: Secret;
  /** Bind tokens to a key of ours (DPoP), where the authorization server supports that. */
  readonly dpop?: boolean;
  /** Accept an authorization server that does not announce PKCE. Set by the user for this server. */
  readonly allowMissingPkce?: boolean;
  /** Accept an issuer that does not match exactly. Set by the user for this server. */
  readonly allowIssuerMismatch?: boolean;
}

export const OAUTH_GRANTS = ['authorization_code', 'device_code', 'client_credentials', 'jwt_bearer'] as const;
export type OAuthGrant = (typeof OAUTH_GRANTS)[number];

/** The grant that obtains tokens without a person; undefined when a person has to sign in. */
export function userlessGrant({ grant, xaa }: OAuthSettings): 'xaa' | 'client_credentials' | 'jwt_bearer' | undefined {
  if (xaa === true) return 'xaa';
  return grant === 'client_credentials' || grant === 'jwt_bearer' ? grant : undefined;
}

/** `settings.xaaIdp`: the identity provider that all servers with `xaa` accept. */
export interface IdentityProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: Secret;
  readonly callbackPort?: number;
  readonly scopes?: readonly string[];
}
