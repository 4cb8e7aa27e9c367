import type { LoadedConfig } from '../actions/action-place.js';
import { toConnectorPart, toNamePart } from '../model/names.js';
import type { Invocation } from './arguments.js';
import { loadRun } from './load.js';
import { showLine } from '../model/show.js';
import type { Run } from './verb.js';

/**
 * The configuration with the connectors as of today, for a run that ends at once: it asks the catalogue where the last answer is old,
 * and waits only so long. `notes`: why that did not work.
 */
export async function withConnectors(
  loaded: LoadedConfig,
  { invocation, io }: Run,
): Promise<{ readonly loaded: LoadedConfig; readonly notes: readonly string[] }> {
  const { options } = loaded.context;
  const isOpen = loaded.lock === undefined && options.strict !== true && !invocation.has('no-connect');
  // The token leaves this machine only for a run that would use what comes back.
  if (!loaded.settings.connectors || !isOpen) return { loaded, notes: [] };
  const { refreshStale } = await import('../config/connectors.js');
  const asked = await refreshStale(loaded.context, loaded.settings.connectors, { waitMs: WAIT_MS, now: io.now() });
  if (asked.kind === 'refreshed') return { loaded: await loadRun(invocation, io), notes: [] };
  if (asked.kind !== 'failed') return { loaded, notes: [] };
  const { message, hint } = asked.error;
  return { loaded, notes: [showLine(`Connectors: ${message}. ${hint ?? 'Showing what was last known.'}`)] };
}

/** Whether a run is about a server that is known anyhow: nobody waits for a catalogue then. */
export function namesServer({ servers }: LoadedConfig, { positionals }: Invocation): boolean {
  return servers.some(({ name }) => {
    const starts = [`${name}.`, `mcp__${toNamePart(name)}__`, `mcp__${toConnectorPart(name)}__`];
    return positionals.some((word) => word === name || starts.some((start) => word.startsWith(start)));
  });
}

const WAIT_MS = 2000;
