import { parseUrl } from '../base/parse-url.js';
import type { Secret } from '../base/secret.js';
import type { Account } from '../model/account.js';
import { urlAddressClass } from '../model/urls/address-class.js';
import { sameOrigin } from '../model/urls/canonical-url.js';
import { serverTargetOf } from '../transports/kinds.js';
import { readDocument } from './document.js';
import type { HostConfig } from './load.js';
import type { ConnectorService, ScopeName } from './scope.js';
import type { ConfiguredServer } from './entries/server.js';
import { readSettings } from './policy/settings.js';

/**
 * The account of the connector catalogue, for a server that may have its token: one that the catalogue lists, or that
 * the user or the administrator wrote, and only at the origin of the catalogue itself, which has the token anyway.
 * Undefined for every other: an entry from a repository, a plugin or another host's file gets no token.
 */
export function accountFor(
  { scope, config }: Pick<ConfiguredServer, 'scope' | 'config'>,
  { settings, context }: Pick<HostConfig, 'settings' | 'context'>,
): Account | undefined {
  if (!settings.connectors || !config || !TRUSTED.has(scope)) return undefined;
  const target = serverTargetOf(config);
  const place = target.kind === 'url' ? (target.proxyUrl ?? target.url) : '';
  if (!isAt(settings.connectors, place)) return undefined;
  const token = async (): Promise<Secret | undefined> => {
    try {
      // Another process may have replaced the token since, and the catalogue with it.
      const { settings: fresh } = await readSettings({ context, read: readDocument });
      return fresh.connectors && isAt(fresh.connectors, place) ? fresh.connectors.token : undefined;
    } catch {
      return undefined; // an unreadable settings file has no token
    }
  };
  return {
    token,
    async renew(refused) {
      const current = await token();
      return current?.reveal() === refused.reveal() ? undefined : current;
    },
  };
}

/** Says where the token is, because it is not in the entry. */
export const ACCOUNT_HINT =
  'The account may not use this server, or its token has expired: renew settings.connectors.token';

const TRUSTED: ReadonlySet<ScopeName> = new Set(['enterprise', 'dynamic', 'local', 'user', 'connectors']);

/** Whether `place` has the origin of the connector catalogue and is encrypted (https) or on loopback. */
function isAt(catalogue: ConnectorService, place: string): boolean {
  const url = parseUrl(place);
  const own = parseUrl(catalogue.url);
  if (!url || !own || !sameOrigin(url, own)) return false;
  return url.protocol === 'https:' || urlAddressClass(url) === 'loopback';
}
