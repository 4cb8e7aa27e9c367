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
  /** Of a repository's entry. Absent: the entry is the user's own. */
  readonly guest?: Guest | undefined;
}

/** An entry that a repository wrote, and which sign-ins it may use beside the one that it brought itself. */
export interface Guest {
  /** The same after every edit of the entry. */
  readonly id: string;
  /** `all`: an approval said so. `old`: those from before approvals spoke of it. Contract: must not throw. */
  readonly sees: () => 'all' | 'old' | 'none';
}
