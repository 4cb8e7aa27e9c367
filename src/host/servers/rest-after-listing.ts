import { isObject } from '../../base/json.js';
import type { Server } from './server.js';

/**
 * Closes a server's own line in a host that serves others, once its lists are read: clients of a server that keeps state
 * have lines of their own. It stays where it has more to do: for a modern server it carries the calls, and a server may
 * tell over it that a list has changed. So does a line that the host itself has called over.
 */
export async function restAfterListing(server: Server): Promise<void> {
  const { connection } = server;
  await server.settled();
  server.clock.after(QUIET_MS, () => {
    if (connection !== undefined && server.connection === connection && isOnlyForLists(server)) server.rest();
  });
}

function isOnlyForLists({ connection, catalog, wantsMore }: Server): boolean {
  if (!connection || connection.session.era !== 'legacy' || wantsMore) return false;
  // A list that could not be read is read again over this line.
  if (catalog.source !== 'server' || catalog.problems.size > 0) return false;
  const { tools, prompts, resources } = connection.session.capabilities;
  return ![tools, prompts, resources].some((offer) => isObject(offer) && offer['listChanged'] === true);
}

const QUIET_MS = 1_000; // ms for a call that waited for the connection and is about to be made
