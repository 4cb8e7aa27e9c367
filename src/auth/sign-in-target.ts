import type { IdentityProviderSettings, OAuthSettings } from '../model/oauth-settings.js';

/** What the user signs in to: one server, as one account. */
export interface SignInTarget {
  /** For messages, and for commands to paste. */
  readonly name: string;
  /** The server's own URL, as configured and expanded. */
  readonly url: string;
  /** One of several accounts; empty for the default one. */
  readonly account: string;
  readonly settings: OAuthSettings;
  /** Certificates for the server's own origin. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
  /** The identity provider, where `settings.xaa` is set. */
  readonly identityProvider?: IdentityProviderSettings | undefined;
  /** Set for an entry of a repository; undefined for the user's own. */
  readonly guest?: RepositoryEntry | undefined;
}

/** An entry of a repository, and which sign-ins it may use besides those made through it. */
export interface RepositoryEntry {
  /** Stays the same when the entry is edited. */
  readonly id: string;
  /** `all`: as approved. `old`: only records from before approvals covered sign-ins. Contract: must not throw. */
  readonly sharedSignIns: () => 'all' | 'old' | 'none';
}
