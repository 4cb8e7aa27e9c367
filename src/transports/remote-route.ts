import { parseUrl } from '../base/parse-url.js';
import { HostError } from '../base/errors.js';
import type { Route } from '../edge/network/route.js';
import type { RequestCredentials } from '../model/credentials.js';
import type { Pipe } from '../wire/pipe.js';
import type { CredentialsAwarePipe } from './credentials-pipe.js';
import type { OpenContext, RemoteConfig } from './kind.js';

/** The way to a remote server: its proxy, its certificates, its addresses. `url` where that is not the entry's own. */
export async function routeOf(config: RemoteConfig, context: OpenContext, url = config.url): Promise<Route> {
  const { name, env, cwd, lookup } = context;
  const target = parseUrl(url);
  if (!target) throw new HostError('config-invalid', `Server "${name}" has a URL that is none`);
  const { findRoute } = await import('../edge/network/route.js');
  return findRoute(target, { label: `Server "${name}"`, env, cwd, tls: config.tls, lookup });
}

/** The headers of an entry as they are sent. */
export function revealHeaders({ headers }: RemoteConfig): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([field, value]) => [field, value.reveal()]));
}

/** Opens a pipe as whoever the credentials say, where there are any. */
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

/** Without the headers of its helper a server would be asked as somebody else. */
function withoutHelper(name: string): HostError {
  return new HostError('unsupported', `Server "${name}" needs "headersHelper", and nobody here runs it`, {
    hint: 'Open it through a host, or take "headersHelper" out of its entry',
  });
}
