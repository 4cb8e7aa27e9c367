import type { SignInTarget } from '../../auth/sign-in-target.js';
import { accountName } from '../../config/accounts.js';
import { digest } from '../../edge/files/digest.js';
import { isHost } from '../../model/connection-headers.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import type { IdentityProviderSettings } from '../../model/oauth-settings.js';
import type { RemoteConfig } from '../../transports/kind.js';
import { transportKindOf } from '../../transports/kinds.js';

/** What the entry of a server behind a URL says about who we are. */
export interface RemoteAuthSettings {
  readonly url: string;
  readonly headersHelper: string | undefined;
  /** It has an Authorization header. */
  readonly hasAuthorizationHeader: boolean;
  /** It has a Host header: who gets a request is not who the URL names. */
  readonly saysWhere: boolean;
  /** Whether one can sign in to servers of its kind. */
  readonly supportsSignIn: boolean;
}

/** Undefined for a server that is not behind a URL. */
export function remoteOf({ config }: Pick<ConfiguredServer, 'config'>): RemoteAuthSettings | undefined {
  if (!config || !('headers' in config)) return undefined;
  const { url, headers, headersHelper } = config satisfies RemoteConfig;
  return {
    url,
    headersHelper,
    hasAuthorizationHeader: Object.keys(headers).some((header) => header.toLowerCase() === 'authorization'),
    saysWhere: Object.keys(headers).some(isHost),
    supportsSignIn: transportKindOf(config).signsIn,
  };
}

/** Whether somebody who has signed in to the other can use this one: it is the same, or the identity provider that vouches for it. */
export function sharesSignIn(one: SignInTarget, other: SignInTarget): boolean {
  if (one.identityProvider?.issuer === other.url) return true;
  return one.url === other.url && one.account === other.account && one.settings.clientId === other.settings.clientId;
}

/** What there is to sign in to; undefined where the entry says who we are, or where nobody can sign in. */
export function toTarget(
  server: ConfiguredServer,
  identityProvider: IdentityProviderSettings | undefined,
): SignInTarget | undefined {
  const { name, config } = server;
  const remote = remoteOf(server);
  if (!config || !('headers' in config) || !remote?.supportsSignIn) return undefined;
  if (remote.hasAuthorizationHeader || remote.saysWhere || remote.headersHelper !== undefined) return undefined;
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
      guest: { id: guestId(server), sees: () => server.approval?.sees ?? 'none' },
    }),
  };
}

/** Which entry it is, whatever it says by now. */
export function guestId({ name, accountOf, origin }: ConfiguredServer): string {
  return digest(JSON.stringify([origin, accountOf ?? name]));
}
