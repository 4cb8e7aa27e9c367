import type { Connection } from '../connection/connection.js';
import type { CommandAnswer, CommandListener, HostCommand } from './command-socket.js';

export interface Obedient {
  connection(name: string): Connection | undefined;
  reconnect(name: string): Promise<unknown>;
}

/** Lets other runs of the program tell a host what to do: `plugboard reconnect`. Undefined where there is no place for that. */
export async function obeyCommands(host: Obedient, folder: string | undefined): Promise<CommandListener | undefined> {
  if (folder === undefined) return undefined;
  const { listenForCommands } = await import('./command-socket.js');
  return listenForCommands({ folder, onCommand: (command) => obey(host, command) });
}

/** A server of the same name that is another one stays as it is. */
function obey(host: Obedient, { server, hash }: HostCommand): CommandAnswer {
  const found = host.connection(server);
  const isMeant = hash === undefined || found?.server.hash === hash;
  if (!found || !isMeant || found.status.kind === 'disabled') return { known: false };
  void host.reconnect(server);
  return { known: true };
}
