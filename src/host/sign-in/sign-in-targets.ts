import type { SignInTarget } from '../../auth/sign-in-target.js';
import { accountName } from '../../config/accounts.js';
import { digest } from '../../edge/files/digest.js';
import { isHost } from '../../model/connection-headers.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import type { IdentityProviderSettings } from '../../model/oauth-settings.js';
import type { RemoteConfig } from '../../transports/kind.js';
import { transportKindOf } from '../../transports/kinds.js';

/** The parts of a remote server's entry that concern authentication. */
export interface RemoteAuthSettings {
  readonly url: string;
  readonly headersHelper: string | undefined;
  readonly hasAuthorizationHeader: boolean;
  /** The entry has a Host header, so that requests reach another host than the URL names. */
  readonly hasHostHeader: boolean;
  /** Whether this transport supports sign-ins. */
  readonly supportsSignIn: boolean;
}

/** Undefined for a server without a URL. */
export function remoteOf({ config }: Pick<ConfiguredServer, 'config'>): RemoteAuthSettings | undefined {
  if (!config || !('headers' in config)) return undefined;
  const { url, headers, headersHelper } = config satisfies RemoteConfig;
  return {
    url,
    headersHelper,
    hasAuthorizationHeader: Object.keys(headers).some((header) => header.toLowerCase() === 'authorization'),
    hasHostHeader: Object.keys(headers).some(isHost),
    supportsSignIn: transportKindOf(config).supportsSignIn,
  };
}

/** Whether a sign-in to `other` also serves `one`: the same server and client, or the identity provider of `one`. */
export function sharesSignIn(one: SignInTarget, other: SignInTarget): boolean {
  if (one.identityProvider?.issuer === other.url) return true;
  return one.url === other.url && one.account === other.account && one.settings.clientId === other.settings.clientId;
}

/** What to sign in to; undefined where the entry has credentials, or the server supports no sign-in. */
export function toTarget(
  server: ConfiguredServer,
  identityProvider: IdentityProviderSettings | undefined,
): SignInTarget | undefined {
  const { name, config } = server;
  const remote = remoteOf(server);
  if (!config || !('headers' in config) || !remote?.supportsSignIn) return undefined;
  if (remote.hasAuthorizationHeader || remote.hasHostHeader || remote.headersHelper !== undefined) return undefined;
  const { oauth, xaa, tls, url } = config satisfies RemoteConfig;
  const isCrossApp = xaa === true || oauth?.xaa === true;
  return {
    name,
    url,
    account: accountName(name),
    settings: { ...oauth, ...(isCrossApp && { xaa: true }) },
    ...(tls && { tls }),
    ...(isCrossApp && identityProvider && { identityProvider }),
    ...(server.author === 'repository' && {
      guest: { id: guestId(server), sharedSignIns: () => server.approval?.sees ?? 'none' },
    }),
  };
}

/** Identifies an entry by its file and name, so that edits do not change it. */
export function guestId({ name, accountOf, origin }: ConfiguredServer): string {
  return digest(JSON.stringify([origin, accountOf ?? name]));
}
