import type { CommandDelivery } from '../host/commands/command-socket.js';
import type { Host } from '../host/host.js';
import { inside } from '../host/inside.js';

/** The answer of each notified host. */
export type HostsTold = readonly CommandDelivery[];

/**
 * Prepares to have every other running host of this user reconnect a server, if its entry has the same hash. Call this
 * before the server changes: the host knows the hash only while the server is there. Never rejects.
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

/** The hosts' answers for a person; empty when no host has this server. `one`, `several`: verbs for the count. */
export function hostNotes(
  hosts: HostsTold,
  [one, several]: readonly [one: string, several: string] = ['reconnects', 'reconnect'],
): string[] {
  const done = hosts.filter(({ outcome }) => outcome === 'done').length;
  const silent = hosts.filter(({ outcome }) => outcome === 'no-answer').map(({ pid }) => pid);
  return [
    ...(done > 0 ? [`${done} running host${done === 1 ? ` ${one}` : `s ${several}`}, too`] : []),
    ...(silent.length > 0 ? [`warning: a running host did not answer: process ${silent.join(', ')}`] : []),
  ];
}
