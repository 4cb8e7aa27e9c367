import type { CommandDelivery } from '../host/commands/command-socket.js';
import type { Host } from '../host/host.js';
import { inside } from '../host/inside.js';

/** What came of telling each of the hosts that run. */
export type HostsTold = readonly CommandDelivery[];

/**
 * Has every other host of this user that runs connect that server anew, where it is this very one. Called before the server is changed: the host
 * that asks knows its hash only as long as the server is there. Never rejects.
 */
export function hostsToTell(host: Host, server: string): () => Promise<HostsTold> {
  const hash = host[inside].server(server)?.server.hash;
  return async () => {
    const { runtime } = host[inside].loaded.context.places;
    if (runtime === undefined) return [];
    const { sendToHosts } = await import('../host/commands/command-socket.js');
    const command = { command: 'reconnect', server, ...(hash !== undefined && { hash }) } as const;
    return sendToHosts(runtime, command, await host.commandSocket());
  };
}

/** What came of that, for a person. None where no host has such a server. `one`, `several`: what they do. */
export function hostNotes(
  hosts: HostsTold,
  [one, several]: readonly [one: string, several: string] = ['reconnects', 'reconnect'],
): string[] {
  const done = hosts.filter(({ outcome }) => outcome === 'done').length;
  const silent = hosts.filter(({ outcome }) => outcome === 'no-answer').map(({ pid }) => pid);
  return [
    ...(done > 0 ? [`${done} running host${done === 1 ? ` ${one}` : `s ${several}`}, too`] : []),
    ...(silent.length > 0 ? [`warning a running host did not answer: process ${silent.join(', ')}`] : []),
  ];
}
