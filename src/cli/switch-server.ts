import type { ConfigContext } from '../config/context.js';
import type { ConfiguredServer } from '../config/server.js';
import type { Host } from '../host/host.js';

/** Where it was written down: `session`, nowhere; an edit of no file means that it was so already. */
export type Switched = { readonly kind: 'session' } | { readonly kind: 'files'; readonly files: readonly string[] };

/** Switches a server of a running host on or off: for good, in the file where that is written; for this session where it came with the run. */
export async function switchServer(
  word: 'enable' | 'disable',
  server: ConfiguredServer,
  { host, config }: { readonly host: Host; readonly config: ConfigContext },
): Promise<Switched> {
  const { name, scope, standing } = server;
  // What a file says against a server that came with the run is taken back there.
  const isOfRun = scope === 'dynamic' && (word === 'disable' || standing.kind !== 'disabled');
  // It was switched off in this session alone, and no file says so.
  const isOffHere = word === 'enable' && standing.kind === 'ready' && host.server(name)?.status === 'disabled';
  if (isOfRun || isOffHere) {
    host[word](name);
    return { kind: 'session' };
  }
  const { disableServer, enableServer } = await import('../config/toggle.js');
  const { edits } = await (word === 'enable' ? enableServer : disableServer)(config, { name });
  return { kind: 'files', files: edits.map(({ file }) => file) };
}
