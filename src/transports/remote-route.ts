import { HostError } from '../base/errors.js';
import type { Route } from '../edge/route.js';
import type { OpenContext, RemoteConfig } from './kind.js';

/** The way to a remote server: its proxy, its certificates, its addresses. `url` where that is not the entry's own. */
export async function routeOf(config: RemoteConfig, context: OpenContext, url = config.url): Promise<Route> {
  const { name, env, cwd, lookup } = context;
  if (!URL.canParse(url)) throw new HostError('config-invalid', `Server "${name}" has a URL that is none`);
  const { findRoute } = await import('../edge/route.js');
  return findRoute(new URL(url), { label: `Server "${name}"`, env, cwd, tls: config.tls, lookup });
}

/** The headers of an entry as they are sent. */
export function revealHeaders({ headers }: RemoteConfig): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([field, value]) => [field, value.reveal()]));
}

/** Without the headers of its helper a server would be asked as somebody else. */
export function refuseHelper({ headersHelper }: RemoteConfig, name: string): void {
  if (headersHelper === undefined) return;
  throw new HostError(
    'unsupported',
    `Server "${name}" needs "headersHelper", which Plugboard can store and not obey yet`,
    { hint: 'Take "headersHelper" out of its entry to reach it without' },
  );
}
