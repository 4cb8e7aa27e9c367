import type { CommandAnswer, CommandListener, HostCommand } from './command-socket.js';
import type { Servers } from '../servers/servers.js';

/** Lets other runs of the program tell a host what to do: `plugboard reconnect`. Undefined where there is no place for that. */
export async function serveCommands(
  servers: Servers,
  folder: string | undefined,
): Promise<CommandListener | undefined> {
  if (folder === undefined) return undefined;
  const { listenForCommands } = await import('./command-socket.js');
  return listenForCommands({ folder, onCommand: (command) => carryOut(servers, command) });
}

/** A server of the same name that is another one stays as it is. */
function carryOut(servers: Servers, { server, hash }: HostCommand): CommandAnswer {
  const found = servers.get(server);
  const isMeant = hash === undefined || found?.hash === hash;
  if (!found || !isMeant || found.status.kind === 'disabled') return { known: false };
  void found.reconnect();
  return { known: true };
}
