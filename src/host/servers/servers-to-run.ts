import { accountFor } from '../../config/account.js';
import { accountName } from '../../config/accounts.js';
import { configHash } from '../../config/entries/config-hash.js';
import type { HostConfig } from '../../config/load.js';
import type { ConfiguredServer, Standing } from '../../config/entries/server.js';
import { PrivatePlaces } from '../../config/risks/private-places.js';
import { digest, digestMany } from '../../edge/files/digest.js';
import { canonicalJson } from '../../model/text/canonical-json.js';
import type { Credentials } from '../../model/credentials.js';
import type { DisabledReason } from '../../model/status.js';
import { serverTargetOf } from '../../transports/kinds.js';
import type { ConnectableServer } from '../../connection/connection-factory.js';
import { toTarget } from '../sign-in/sign-in-targets.js';

/** A server to create, as its entry describes it. */
export interface ServerToRun {
  readonly entry: ConfiguredServer;
  readonly server: ConnectableServer & { readonly hash: string };
  /** Cache key of the catalog: the config, and the account that the server is used with. */
  readonly catalogKey: string;
  /** The server's programs start in a private folder. */
  readonly startsInPrivateFolder: boolean;
  /** Why the server may not run; undefined when it may. */
  readonly disabled: DisabledReason | undefined;
  /** The server starts on its first use. */
  readonly isLazy: boolean;
  /** Whether there are many. */
  readonly isOneOfMany: boolean;
}

export interface ServersToRunOptions {
  /** All servers start on their first use. */
  readonly isLazy: boolean;
  /** Servers that were disabled until this host closes. */
  readonly switchedOff: ReadonlySet<string>;
  /** Credentials beyond those in the entry. */
  readonly credentialsFor: (server: ConfiguredServer) => Credentials | undefined;
}

/** For each name the definition that runs, or would run. */
export function chooseEntries(servers: readonly ConfiguredServer[]): ReadonlyMap<string, ConfiguredServer> {
  const chosen = new Map<string, ConfiguredServer>();
  for (const server of servers) {
    const before = chosen.get(server.name);
    if (!before || (server.standing.kind === 'ready' && before.standing.kind !== 'ready')) {
      chosen.set(server.name, server);
    }
  }
  return chosen;
}

/** One server for each name, except where the entry is unusable. */
export function toServersToRun(
  loaded: Pick<HostConfig, 'settings' | 'context' | 'trust'>,
  chosen: Iterable<ConfiguredServer>,
  { isLazy, switchedOff, credentialsFor }: ServersToRunOptions,
): readonly ServerToRun[] {
  const servers = [...chosen];
  const places = new PrivatePlaces(loaded.context, loaded.trust);
  const isOneOfMany = servers.length > FEW;
  const hashed = isOneOfMany ? digestMany : digest;
  return servers.flatMap((server): readonly ServerToRun[] => {
    const { config } = server;
    if (!config) return [];
    const { name, standing, approval } = server;
    const account = accountName(name);
    const entryHash = configHash(config, hashed);
    // What is cached for one account of a server does not apply to another account.
    const hash = account === '' ? entryHash : digest(`${entryHash}\n@${account}`);
    const credentials = credentialsFor(server);
    const credentialsKey = credentialsKeyOf(server, loaded);
    const startsInPrivateFolder = server.startsInPrivateFolder === true;
    const place =
      startsInPrivateFolder && serverTargetOf(config).kind === 'command' ? places.ofServer(name) : undefined;
    return [
      {
        entry: server,
        server: { name, config, hash, credentials, commandPath: approval?.commandPath, place },
        // Two accounts see two catalogs at one URL.
        catalogKey: credentialsKey === undefined ? hash : digest(`${hash}\n${credentialsKey}`),
        startsInPrivateFolder,
        disabled: switchedOff.has(name) && standing.kind === 'ready' ? 'user' : REASONS[standing.kind],
        isLazy: isLazy || config.start === 'lazy',
        isOneOfMany,
      },
    ];
  });
}

/** The settings' credentials for this server, as part of its cache key: another account sees another catalog. */
function credentialsKeyOf(
  server: ConfiguredServer,
  loaded: Pick<HostConfig, 'settings' | 'context'>,
): string | undefined {
  const { connectors, xaaIdp } = loaded.settings;
  const token = accountFor(server, loaded) && connectors?.token?.reveal();
  if (token !== undefined || !xaaIdp) return token;
  return toTarget(server, xaaIdp)?.identityProvider && canonicalJson(xaaIdp);
}

const FEW = 15; // for more, loading node:crypto (3 ms) is faster than hashing in JavaScript that is not compiled yet

const REASONS: Readonly<Record<Standing['kind'], DisabledReason | undefined>> = {
  ready: undefined,
  disabled: 'user',
  unapproved: 'unapproved',
  untrusted: 'untrusted',
  denied: 'policy',
  invalid: 'invalid',
  suppressed: 'duplicate',
};
