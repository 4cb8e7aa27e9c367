import { serverTargetOf } from '../transports/kinds.js';
import type { ScopeName } from './scope.js';
import type { ConfiguredServer } from './entries/server.js';
import { signatureOf } from './entries/signature.js';

/**
 * Sets the final standing of each definition; takes them strongest first. A definition that may not run shadows
 * nothing: only a running server, or one that the user disabled, keeps weaker ones of its name from running.
 */
export function resolveServers(candidates: readonly ConfiguredServer[]): readonly ConfiguredServer[] {
  const denied = deniedSignatures(candidates);
  const hasTwins = candidates.some(({ scope }) => isSuppressible(scope));
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
    if (twin && standing.kind === 'ready' && isSuppressible(scope) && yieldsTo(scope, twin)) {
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

/** Whether weaker definitions of its name do not run because of it. */
export function claimsName(server: ConfiguredServer): boolean {
  const { standing } = server;
  // A repository's `disabled: true` applies to its own entry only; it cannot disable a server of the user's.
  return standing.kind === 'ready' || (standing.kind === 'disabled' && (standing.by === 'user' || !isBrought(server)));
}

/** Whether a repository or a connector catalogue wrote the entry. */
function isBrought({ author }: ConfiguredServer): boolean {
  return author === 'repository' || author === 'remote';
}

/**
 * Servers on a deny list, which stay denied under any other name. Entries of a repository or catalogue do not count
 * here: one of them could put the user's own server under a denied name.
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

/** Servers of plugins and connectors are suppressed by the same server from a stronger scope. */
function isSuppressible(scope: ScopeName): boolean {
  return scope === 'plugin' || scope === 'connectors';
}

/** A manually configured server, even disabled, replaces a plugin's; only a running one replaces a connector. */
function yieldsTo(scope: ScopeName, twin: ConfiguredServer): boolean {
  if (twin.standing.kind === 'ready') return true;
  return scope === 'plugin' && !isSuppressible(twin.scope);
}

function suppressed(server: ConfiguredServer, how: 'shadowed' | 'duplicate', by: ConfiguredServer): ConfiguredServer {
  return { ...server, standing: { kind: 'suppressed', how, by: { name: by.name, scope: by.scope } } };
}
