import { serverTargetOf } from '../transports/kinds.js';
import type { ScopeName } from './scope.js';
import type { ConfiguredServer } from './entries/server.js';
import { signatureOf } from './entries/signature.js';

/**
 * Strongest definition first in, what becomes of each out. One that may not run, whatever the reason, stands in
 * nobody's way: only a running server, or one that the user switched off, keeps weaker ones of its name from running.
 */
export function resolveServers(candidates: readonly ConfiguredServer[]): readonly ConfiguredServer[] {
  const denied = deniedSignatures(candidates);
  const hasTwins = candidates.some(({ scope }) => givesWay(scope));
  const names = new Map<string, ConfiguredServer>();
  const twins = new Map<string, ConfiguredServer>();
  return candidates.map((server) => {
    const { standing, config, scope } = server;
    if (standing.kind !== 'ready' && standing.kind !== 'disabled') return server;
    const signature = config && (hasTwins || denied.size > 0) ? signatureOf(serverTargetOf(config)) : undefined;

    const reason = signature === undefined ? undefined : denied.get(signature);
    if (reason !== undefined && standing.kind === 'ready') {
      return { ...server, standing: { kind: 'denied', by: 'deny-list', reason } };
    }
    const stronger = names.get(server.name);
    if (stronger) return suppressed(server, 'shadowed', stronger);
    const twin = signature === undefined ? undefined : twins.get(signature);
    if (twin && standing.kind === 'ready' && givesWay(scope) && yieldsTo(scope, twin)) {
      return suppressed(server, 'duplicate', twin);
    }

    if (claimsName(server)) {
      names.set(server.name, server);
      const replaces = twin?.standing.kind === 'disabled' && standing.kind === 'ready';
      if (signature !== undefined && (!twin || replaces)) twins.set(signature, server);
    }
    return server;
  });
}

function claimsName(server: ConfiguredServer): boolean {
  const { standing } = server;
  // A repository's `disabled: true` is about its own entry; it cannot switch off a server of the user.
  return standing.kind === 'ready' || (standing.kind === 'disabled' && (standing.by === 'user' || !isBrought(server)));
}

/** Written by a repository or a catalogue, not by the user or for them. */
function isBrought({ author }: ConfiguredServer): boolean {
  return author === 'repository' || author === 'remote';
}

/**
 * A server on a deny list stays denied under any other name. This does not spread from what was brought: a repository
 * could put the user's own server under a name that is denied.
 */
function deniedSignatures(servers: readonly ConfiguredServer[]): ReadonlyMap<string, string> {
  const denied = new Map<string, string>();
  for (const server of servers) {
    const { name, standing, config } = server;
    if (standing.kind !== 'denied' || standing.by !== 'deny-list' || !config || isBrought(server)) continue;
    denied.set(signatureOf(serverTargetOf(config)), `the same server as "${name}", which is ${standing.reason}`);
  }
  return denied;
}

/** What plugins and connectors bring gives way to the same server from a stronger hand. */
function givesWay(scope: ScopeName): boolean {
  return scope === 'plugin' || scope === 'connectors';
}

/** A manual server, even switched off, beats a plugin's; only one that runs beats a connector. */
function yieldsTo(scope: ScopeName, twin: ConfiguredServer): boolean {
  if (twin.standing.kind === 'ready') return true;
  return scope === 'plugin' && !givesWay(twin.scope);
}

function suppressed(server: ConfiguredServer, how: 'shadowed' | 'duplicate', by: ConfiguredServer): ConfiguredServer {
  return { ...server, standing: { kind: 'suppressed', how, by: { name: by.name, scope: by.scope } } };
}
