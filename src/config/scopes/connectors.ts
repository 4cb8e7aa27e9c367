import { join } from 'node:path';
import { sha256Hex } from '../../model/text/sha256.js';
import type { ConfigContext } from '../context.js';
import type { ConnectorService, Scope } from '../scope.js';
import { NO_SERVERS, serversOf } from '../entries/servers.js';

/** Servers of the connector catalogue, as last saved. Loading never fetches it; `refreshConnectors` does. */
export const connectors: Scope = {
  name: 'connectors',
  label: 'Connectors (from your account)',
  async read({ context, settings, read }) {
    const catalogue = settings.connectors;
    const file = catalogue && catalogueFile(context, catalogue);
    const reading = file === undefined ? undefined : await read(file);
    if (!catalogue || !reading || reading.kind === 'absent') return NO_SERVERS;
    if (reading.kind === 'broken') return { sources: [], problems: [{ ...reading.problem, code: 'connectors' }] };
    const { entries, problems } = await serversOf(reading.document);
    const source = {
      scope: 'connectors',
      origin: catalogue.origin,
      author: 'remote',
      entries,
      // Entries of a catalogue are not expanded: it must not read variables of this machine.
      hasVariables: false,
      placeOf: async () => undefined,
    } as const;
    return { sources: [source], problems };
  },
};

/** The saved connector catalogue, so that loading never waits for the network. */
export function catalogueFile({ places }: ConfigContext, { url, token }: ConnectorService): string | undefined {
  // Another account has another catalogue; the file's name must not reveal the token.
  const name = sha256Hex(`${url}\n${token?.reveal() ?? ''}`).slice(0, 32);
  return places.cache === undefined ? undefined : join(places.cache, `connectors-${name}.json`);
}
