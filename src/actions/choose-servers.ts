import { HostError } from '../base/errors.js';
import type { HostConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/entries/server.js';
import { mustRun, toRefusal } from './barrier.js';

/** The servers that may be opened: all, or the one of that name. Throws when that one may not. */
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

/** Their names. Rejects also where no server has the name that was given; `action`: what was to be done with it. */
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
