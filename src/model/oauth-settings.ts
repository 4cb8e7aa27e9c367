import type { Secret } from '../base/secret.js';

/** What the entry of a server says about signing in to it. All of it may be missing: then servers say what they want. */
export interface OAuthSettings {
  /** Registered beforehand: nobody is asked to register us. */
  readonly clientId?: string;
  readonly clientSecret?: Secret;
  /** Where a document describes us; an https URL that is our client id with servers that read such documents. */
  readonly clientMetadataUrl?: string;
  /** The port of the callback; any free one otherwise. */
  readonly callbackPort?: number;
  /** Instead of those that the server names. */
  readonly scopes?: readonly string[];
  /** Where the authorization server describes itself, instead of where it should. */
  readonly authServerMetadataUrl?: string;
  /** Through the identity provider of settings.xaaIdp, without a browser. */
  readonly xaa?: boolean;
  /** How a token is come by; `authorization_code`, with a browser, by default. */
  readonly grant?: OAuthGrant;
  /** PEM, or the path of a file that holds one: the client proves who it is by its signature (private_key_jwt). */
  readonly privateKey?: Secret;
  readonly signingAlgorithm?: string;
  /** Of the grant `jwt_bearer`: a token of this workload, or the path of a file that holds one. */
  readonly assertion?: Secret;
  /** Bind tokens to a key of ours, where the authorization server can. */
  readonly dpop?: boolean;
  /** The user says so for this server: its authorization server does not tell that it checks PKCE. */
  readonly allowMissingPkce?: boolean;
  /** The user says so for this server: issuers that do not quite match are taken for the same. */
  readonly allowIssuerMismatch?: boolean;
}

export const OAUTH_GRANTS = ['authorization_code', 'device_code', 'client_credentials', 'jwt_bearer'] as const;
export type OAuthGrant = (typeof OAUTH_GRANTS)[number];

/** How tokens are come by without asking anybody; undefined where a person has to sign in. */
export function silentWay({ grant, xaa }: OAuthSettings): 'xaa' | 'client_credentials' | 'jwt_bearer' | undefined {
  if (xaa === true) return 'xaa';
  return grant === 'client_credentials' || grant === 'jwt_bearer' ? grant : undefined;
}

/** settings.xaaIdp: the identity provider whose word all servers with `xaa` take. */
export interface IdentityProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: Secret;
  readonly callbackPort?: number;
  readonly scopes?: readonly string[];
}
