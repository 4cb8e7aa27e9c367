import type { IdentityProviderSettings, OAuthSettings } from '../model/oauth-settings.js';

/** What is signed in to: one server, as one account. */
export interface SignInTarget {
  /** For texts that people read, and commands that they paste. */
  readonly name: string;
  /** Of the server itself, as configured and expanded. */
  readonly url: string;
  /** Which of several accounts; empty for the usual one. */
  readonly account: string;
  readonly settings: OAuthSettings;
  /** Certificates for the server's own origin. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
  /** Where `settings.xaa` is set: whose word is taken. */
  readonly identityProvider?: IdentityProviderSettings | undefined;
}
