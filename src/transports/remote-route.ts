import { parseUrl } from '../base/parse-url.js';
import { HostError } from '../base/errors.js';
import type { Route } from '../edge/network/route.js';
import type { RequestCredentials } from '../model/credentials.js';
import type { Pipe } from '../wire/pipe.js';
import type { CredentialsAwarePipe } from './credentials-pipe.js';
import type { OpenContext, RemoteConfig } from './kind.js';

/** The route to a remote server: proxy, certificates, DNS. `url`: when it is not the entry's own. */
export async function routeOf(config: RemoteConfig, context: OpenContext, url = config.url): Promise<Route> {
  const { name, env, cwd, lookup } = context;
  const target = parseUrl(url);
  if (!target) throw new HostError('config-invalid', `Server "${name}" has an invalid URL`);
  const { findRoute } = await import('../edge/network/route.js');
  return findRoute(target, { label: `Server "${name}"`, env, cwd, tls: config.tls, lookup });
}

/** The headers of an entry with their secrets revealed. */
export function revealHeaders({ headers }: RemoteConfig): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([field, value]) => [field, value.reveal()]));
}

/** Opens a pipe with the credentials of the context, if there are any. */
export async function openWith(
  { headersHelper }: RemoteConfig,
  { name, credentials, clock, signal }: OpenContext,
  open: (sentCredentials: RequestCredentials | undefined) => Promise<Pipe | CredentialsAwarePipe>,
): Promise<Pipe> {
  if (!credentials) {
    if (headersHelper !== undefined) throw withoutHelper(name);
    return open(undefined);
  }
  const { openWithCredentials } = await import('./credentials-pipe.js');
  return openWithCredentials({ name, credentials, clock, open, signal });
}

/** Refuses the server: without the helper's headers its requests would be sent as another user. */
function withoutHelper(name: string): HostError {
  return new HostError('unsupported', `Server "${name}" needs "headersHelper", which cannot run here`, {
    hint: 'Open it through a host, or take "headersHelper" out of its entry',
  });
}
