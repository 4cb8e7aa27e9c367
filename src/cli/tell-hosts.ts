import type { ConfigContext } from '../config/context.js';
import type { Told } from '../host/command-socket.js';
import type { Host } from '../host/host.js';

export interface Telling {
  /** Only where it is this very one. */
  readonly hash: string | undefined;
  /** The host that has done it already. */
  readonly own?: Pick<Host, 'commandSocket'>;
}

/** Has every other host of this user that runs connect that server anew. Never rejects. */
export async function tellRunning(
  { places }: Pick<ConfigContext, 'places'>,
  server: string,
  { hash, own }: Telling,
): Promise<readonly Told[]> {
  const { runtime } = places;
  if (runtime === undefined) return [];
  const { tellHosts } = await import('../host/command-socket.js');
  return tellHosts(
    runtime,
    { command: 'reconnect', server, ...(hash !== undefined && { hash }) },
    await own?.commandSocket(),
  );
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
