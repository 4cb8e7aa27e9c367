import { existsSync } from 'node:fs';
import type { HostConfig } from '../../config/load.js';
import { decidePolicy } from '../../config/policy/policy.js';
import { catalogueFile } from '../../config/scopes/connectors.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { serverTargetOf } from '../../transports/kinds.js';

/**
 * A newly read configuration, plus the known connectors while they have not been fetched with a renewed token: tokens
 * are renewed every hour, which must not end running servers. Requests use the new token at once.
 */
export function keepConnectors(before: HostConfig, after: HostConfig): HostConfig {
  const [old, now] = [before.settings.connectors, after.settings.connectors];
  if (!old?.token || !now?.token || old.url !== now.url || old.token.reveal() === now.token.reveal()) return after;
  const file = catalogueFile(after.context, now);
  if (file === undefined || existsSync(file)) return after;
  const named = new Set(after.servers.map(({ name }) => name));
  const isKept = ({ name, scope, config }: ConfiguredServer): boolean =>
    scope === 'connectors' &&
    !named.has(name) &&
    config !== undefined &&
    decidePolicy(after.policies, { name, target: serverTargetOf(config) }).kind === 'admitted';
  return {
    ...after,
    servers: [...after.servers, ...before.servers.filter(isKept)],
    settings: { ...after.settings, connectors: old },
  };
}
