import { targetOf } from '../transports/kinds.js';
import type { ScopeName } from './scope.js';
import type { ConfiguredServer } from './server.js';
import { signatureOf } from './signature.js';

/**
 * Strongest definition first in, what becomes of each out. One that may not run, whatever the reason, stands in
 * nobody's way: only a running server, or one that the user switched off, keeps weaker ones of its name from running.
 */
export function resolveServers(candidates: readonly ConfiguredServer[]): readonly ConfiguredServer[] {
  return suppressTwins(denyTwins(shadowNames(candidates)));
}

function shadowNames(candidates: readonly ConfiguredServer[]): ConfiguredServer[] {
  const claimed = new Map<string, ConfiguredServer>();
  return candidates.map((server) => {
    const stronger = claimed.get(server.name);
    if (!stronger) {
      if (claimsName(server)) claimed.set(server.name, server);
      return server;
    }
    return server.standing.kind === 'ready' || server.standing.kind === 'disabled'
      ? suppressed(server, 'shadowed', stronger)
      : server;
  });
}

function claimsName({ standing, scope }: ConfiguredServer): boolean {
  // A repository's `disabled: true` is about its own entry; it cannot switch off a server of the user.
  return standing.kind === 'ready' || (standing.kind === 'disabled' && (standing.by === 'user' || scope !== 'project'));
}

/** A server on a deny list stays denied under any other name. */
function denyTwins(servers: readonly ConfiguredServer[]): readonly ConfiguredServer[] {
  const denied = new Map<string, string>();
  for (const server of servers) {
    if (server.standing.kind === 'denied' && server.standing.by === 'deny-list' && server.config) {
      denied.set(
        signatureOf(targetOf(server.config)),
        `the same server as "${server.name}", which is ${server.standing.reason}`,
      );
    }
  }
  if (denied.size === 0) return servers;
  return servers.map((server) => {
    if (server.standing.kind !== 'ready' || !server.config) return server;
    const reason = denied.get(signatureOf(targetOf(server.config)));
    return reason === undefined ? server : { ...server, standing: { kind: 'denied', by: 'deny-list', reason } };
  });
}

/** What plugins and connectors bring gives way to the same server from a stronger hand. */
function suppressTwins(servers: readonly ConfiguredServer[]): readonly ConfiguredServer[] {
  if (!servers.some(({ scope }) => givesWay(scope))) return servers;
  const seen = new Map<string, ConfiguredServer>();
  return servers.map((server) => {
    const { standing, config, scope } = server;
    if (!config || (standing.kind !== 'ready' && standing.kind !== 'disabled')) return server;
    const signature = signatureOf(targetOf(config));
    const twin = seen.get(signature);
    if (!twin) {
      seen.set(signature, server);
      return server;
    }
    if (standing.kind === 'ready' && givesWay(scope) && yieldsTo(scope, twin))
      return suppressed(server, 'duplicate', twin);
    if (twin.standing.kind === 'disabled' && standing.kind === 'ready') seen.set(signature, server);
    return server;
  });
}

function givesWay(scope: ScopeName): boolean {
  return scope === 'plugin' || scope === 'connectors';
}

/** A manual server, even switched off, beats a plugin's; only one that runs beats a connector. */
function yieldsTo(scope: ScopeName, twin: ConfiguredServer): boolean {
  if (twin.standing.kind === 'ready') return true;
  return scope === 'plugin' && !givesWay(twin.scope) && claimsName(twin);
}

function suppressed(server: ConfiguredServer, how: 'shadowed' | 'duplicate', by: ConfiguredServer): ConfiguredServer {
  return { ...server, standing: { kind: 'suppressed', how, by: { name: by.name, scope: by.scope } } };
}
