import type { CommandAnswer, CommandListener, HostCommand } from './command-socket.js';
import type { Servers } from '../servers/servers.js';

/** Accepts commands of other Plugboard processes (`plugboard reconnect`). Undefined without a folder for a socket. */
export async function serveCommands(
  servers: Servers,
  folder: string | undefined,
): Promise<CommandListener | undefined> {
  if (folder === undefined) return undefined;
  const { listenForCommands } = await import('./command-socket.js');
  return listenForCommands({ folder, onCommand: (command) => carryOut(servers, command) });
}

/** Carries out a command. A server of this name with another config hash is left alone. */
function carryOut(servers: Servers, { server, hash }: HostCommand): CommandAnswer {
  const found = servers.get(server);
  const isMeant = hash === undefined || found?.hash === hash;
  if (!found || !isMeant || found.status.kind === 'disabled') return { known: false };
  void found.reconnect();
  return { known: true };
}
