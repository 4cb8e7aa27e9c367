import { HostError } from '../base/errors.js';
import type { LoadedConfig } from '../config/load.js';
import { chooseServers } from './choose-servers.js';

/** The servers that a run may open: all, or the one that was named. Throws when that one is not configured, or may not run. */
export async function chooseNames(
  loaded: LoadedConfig,
  name: string | undefined,
  verb: string,
): Promise<readonly string[]> {
  const servers = chooseServers(loaded, name);
  if (name !== undefined && servers.length === 0) {
    if (/^[\w.-]+(?::\d+|\.\w+)(?:\/|$)/u.test(name)) {
      throw new HostError('unknown-server', `No server is configured as "${name}"`, {
        hint: `Did you mean the address? plugboard ${verb} http://${name}`,
      });
    }
    const { unknownServer } = await import('../config/manage.js');
    throw unknownServer(loaded, name);
  }
  return servers.map((server) => server.name);
}
