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

/** One server that there is to be. */
export interface ServerToRun {
  readonly entry: ConfiguredServer;
  readonly server: ConnectableServer & { readonly hash: string };
  /** Under which its catalog is kept: its config, and whose account it is used with. */
  readonly catalogKey: string;
  /** What it starts, it starts in a private folder. */
  readonly isApart: boolean;
  /** Why it may not run; undefined when it may. */
  readonly disabled: DisabledReason | undefined;
  /** It is started by its first use. */
  readonly isLazy: boolean;
}

export interface ServersToRunOptions {
  /** All of them wait until somebody uses them. */
  readonly isLazy: boolean;
  /** What somebody has switched off for as long as this host runs. */
  readonly switchedOff: ReadonlySet<string>;
  /** Who we are to it, beyond what its entry says. */
  readonly credentialsFor: (server: ConfiguredServer) => Credentials | undefined;
}

/** Of each name the definition that runs, or the one that would. */
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

/** One server for each name, unless its entry says nothing that could be used. */
export function toServersToRun(
  loaded: Pick<HostConfig, 'settings' | 'context' | 'trust'>,
  chosen: Iterable<ConfiguredServer>,
  { isLazy, switchedOff, credentialsFor }: ServersToRunOptions,
): readonly ServerToRun[] {
  const servers = [...chosen];
  const places = new PrivatePlaces(loaded.context, loaded.trust);
  const hashed = servers.length > FEW ? digestMany : digest;
  return servers.flatMap((server): readonly ServerToRun[] => {
    const { config } = server;
    if (!config) return [];
    const { name, standing, approval } = server;
    const account = accountName(name);
    const entryHash = configHash(config, hashed);
    // What is known of a server with one account says nothing about it with another.
    const hash = account === '' ? entryHash : digest(`${entryHash}\n@${account}`);
    const credentials = credentialsFor(server);
    const credentialsKey = credentialsKeyOf(server, loaded);
    const isApart = server.isApart === true;
    const place = isApart && serverTargetOf(config).kind === 'command' ? places.ofServer(name) : undefined;
    return [
      {
        entry: server,
        server: { name, config, hash, credentials, commandPath: approval?.commandPath, place },
        // Two accounts see two catalogs at one address.
        catalogKey: credentialsKey === undefined ? hash : digest(`${hash}\n${credentialsKey}`),
        isApart,
        disabled: switchedOff.has(name) && standing.kind === 'ready' ? 'user' : REASONS[standing.kind],
        isLazy: isLazy || config.start === 'lazy',
      },
    ];
  });
}

/** What the settings say about who we are to it: with another one it is another connection. */
function credentialsKeyOf(
  server: ConfiguredServer,
  loaded: Pick<HostConfig, 'settings' | 'context'>,
): string | undefined {
  const { connectors, xaaIdp } = loaded.settings;
  const token = accountFor(server, loaded) && connectors?.token?.reveal();
  if (token !== undefined || !xaaIdp) return token;
  return toTarget(server, xaaIdp)?.identityProvider && canonicalJson(xaaIdp);
}

const FEW = 15; // from there on loading node:crypto, 3 ms, takes less than hashing before anything is compiled

const REASONS: Readonly<Record<Standing['kind'], DisabledReason | undefined>> = {
  ready: undefined,
  disabled: 'user',
  unapproved: 'unapproved',
  untrusted: 'untrusted',
  denied: 'policy',
  invalid: 'policy',
  suppressed: 'duplicate',
};
