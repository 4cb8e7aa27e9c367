import type { ConfiguredServer } from '../../config/entries/server.js';
import type { ServerLifecycle } from '../../connection/server-lifecycle.js';
import { areRivals, type Rival } from '../../model/permissions/rivals.js';

/** All servers whose rules could be taken for this one's, running or not. */
export function rivalsOf(
  server: string,
  definitions: readonly ConfiguredServer[],
  connectionOf: (name: string) => ServerLifecycle | undefined,
): readonly Rival[] {
  const found = definitions.filter(({ name }) => areRivals(server, name));
  return found.map(({ name, author }) => ({
    server: name,
    author,
    tools: () => {
      const lifecycle = connectionOf(name);
      if (!lifecycle) return undefined;
      const { catalog, status } = lifecycle;
      if (catalog.source !== 'none') return catalog.toolColumns.names;
      return SOON.has(status.kind) ? 'soon' : undefined;
    },
  }));
}

const SOON: ReadonlySet<string> = new Set(['pending', 'connected']);
