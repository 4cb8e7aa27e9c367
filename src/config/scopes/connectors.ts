import { join } from 'node:path';
import { sha256Hex } from '../../model/text/sha256.js';
import type { ConfigContext } from '../context.js';
import type { Catalogue, Scope } from '../scope.js';
import { NO_SERVERS, serversOf } from '../entries/servers.js';

/** Servers of the account's catalogue, as last heard; loading itself never asks; `refreshConnectors` does, for whoever wants to. */
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
      // What a catalogue says is taken as it is: it may not ask for variables of this machine.
      hasVariables: false,
      lineOf: async () => undefined,
    } as const;
    return { sources: [source], problems };
  },
};

/** What was last heard of the account's connectors, so that loading never waits for the network. */
export function catalogueFile({ places }: ConfigContext, { url, token }: Catalogue): string | undefined {
  // Another account is another catalogue; its file must not tell the token.
  const name = sha256Hex(`${url}\n${token?.reveal() ?? ''}`).slice(0, 32);
  return places.cache === undefined ? undefined : join(places.cache, `connectors-${name}.json`);
}
