import type { ConfiguredServer, LoadedConfig } from '../actions/action-place.js';
import { mustRun, toRefusal } from '../actions/barrier.js';

/** The servers that may be opened: all, or the one of that name. Throws when that one may not. */
export function chooseServers({ servers }: LoadedConfig, name: string | undefined): readonly ConfiguredServer[] {
  if (name === undefined) return servers.filter(({ standing }) => standing.kind === 'ready');
  const found = servers.filter((server) => server.name === name);
  const ready = found.find(({ standing }) => standing.kind === 'ready');
  if (ready) return [ready];
  const [first] = found;
  const barrier = first && mustRun({ server: first, status: undefined, canSignIn: false });
  if (first && barrier) throw toRefusal(first.name, barrier);
  return [];
}
