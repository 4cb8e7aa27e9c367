import type { HostConfig } from '../../config/load.js';
import { toConnectorPart, toNamePart } from '../../model/view/names.js';
import { showLine } from '../../model/show.js';

/**
 * Refreshes the list of connectors when the cached one is old, for a run that ends at once; waits `WAIT_MS` at most.
 * `isNew`: the configuration has changed. `note`: why the refresh failed.
 */
export async function loadFreshConnectors(
  { context, settings, lock }: HostConfig,
  now: Date,
): Promise<{ readonly isNew: boolean; readonly note?: string }> {
  const { connectors } = settings;
  // The token is sent only for a run that would use the connectors.
  if (!connectors || lock !== undefined || context.options.strict === true) return { isNew: false };
  const { refreshStale } = await import('../../config/connectors.js');
  const asked = await refreshStale(context, connectors, { waitMs: WAIT_MS, now });
  if (asked.kind !== 'failed') return { isNew: asked.kind === 'refreshed' };
  const { message, hint } = asked.error;
  return { isNew: false, note: showLine(`Connectors: ${message}. ${hint ?? 'Showing what was last known.'}`) };
}

/** Whether the words name a server that is already known, so that the connectors need not be refreshed. */
export function nameServer(words: readonly string[], { servers }: HostConfig): boolean {
  return servers.some(({ name }) => {
    const starts = [`${name}.`, `mcp__${toNamePart(name)}__`, `mcp__${toConnectorPart(name)}__`];
    return words.some((word) => word === name || starts.some((start) => word.startsWith(start)));
  });
}

const WAIT_MS = 2000;
