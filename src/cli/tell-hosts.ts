import type { LoadedConfig } from '../config/load.js';
import type { Told } from '../host/command-socket.js';

/** Has every host of this user that runs connect that server anew. `hash`: only where it is this very one. Never rejects. */
export async function tellRunning(
  { context }: LoadedConfig,
  server: string,
  hash: string | undefined,
): Promise<readonly Told[]> {
  const { runtime } = context.places;
  if (runtime === undefined) return [];
  const { tellHosts } = await import('../host/command-socket.js');
  return tellHosts(runtime, { command: 'reconnect', server, ...(hash !== undefined && { hash }) });
}

/** What came of that. None where no host has such a server. `one`, `several`: what they do. */
export function hostNotes(
  hosts: readonly Told[],
  [one, several]: readonly [one: string, several: string] = ['reconnects', 'reconnect'],
): string[] {
  const done = hosts.filter(({ outcome }) => outcome === 'done').length;
  const silent = hosts.filter(({ outcome }) => outcome === 'no-answer').map(({ pid }) => pid);
  return [
    ...(done > 0 ? [`${done} running host${done === 1 ? ` ${one}` : `s ${several}`}, too`] : []),
    ...(silent.length > 0 ? [`warning a running host did not answer: process ${silent.join(', ')}`] : []),
  ];
}
