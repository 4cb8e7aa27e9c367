import type { CommandAnswer, CommandListener, HostCommand } from './command-socket.js';
import type { Fleet } from './fleet.js';

/** Lets other runs of the program tell a host what to do: `plugboard reconnect`. Undefined where there is no place for that. */
export async function obeyCommands(fleet: Fleet, folder: string | undefined): Promise<CommandListener | undefined> {
  if (folder === undefined) return undefined;
  const { listenForCommands } = await import('./command-socket.js');
  return listenForCommands({ folder, onCommand: (command) => obey(fleet, command) });
}

/** A server of the same name that is another one stays as it is. */
function obey(fleet: Fleet, { server, hash }: HostCommand): CommandAnswer {
  const found = fleet.connection(server);
  const isMeant = hash === undefined || found?.server.hash === hash;
  if (!found || !isMeant || found.status.kind === 'disabled') return { known: false };
  void fleet.reconnect(server);
  return { known: true };
}
