import { HostError } from '../base/errors.js';
import type { HostConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/entries/server.js';
import { mustRun, toRefusal } from './barrier.js';

/** The servers that may run: all, or the one of that name, if any. Throws when the named one may not run. */
export function chooseServers(
  { servers }: Pick<HostConfig, 'servers'>,
  name: string | undefined,
): readonly ConfiguredServer[] {
  if (name === undefined) return servers.filter(({ standing }) => standing.kind === 'ready');
  const found = servers.filter((server) => server.name === name);
  const ready = found.find(({ standing }) => standing.kind === 'ready');
  if (ready) return [ready];
  const [first] = found;
  const barrier = first && mustRun({ server: first, status: undefined, canSignIn: false });
  if (first && barrier) throw toRefusal(first.name, barrier);
  return [];
}

/** The names of these servers. Rejects also when no server has the given name; `action`: the verb for the hint. */
export async function chooseNames(
  loaded: HostConfig,
  name: string | undefined,
  action: string,
): Promise<readonly string[]> {
  const servers = chooseServers(loaded, name);
  if (name === undefined || servers.length > 0) return servers.map((server) => server.name);
  if (/^[\w.-]+(?::\d+|\.\w+)(?:\/|$)/u.test(name)) {
    throw new HostError('unknown-server', `No server is configured as "${name}"`, {
      hint: `Did you mean the address? plugboard ${action} http://${name}`,
    });
  }
  const { unknownServer } = await import('../config/edit/manage.js');
  throw unknownServer(loaded, name);
}
