import type { HostConfig } from '../config/load.js';
import type { ControlChannel, openControl as open } from '../connection/control.js';

export type { ControlChannel, ControlStreams } from '../connection/control.js';
export type ControlOptions = Parameters<typeof open>[0];

/** Opens the channel to servers of the embedding process. Nothing is read before the first of them is opened. */
export async function openControlChannel(options: ControlOptions): Promise<ControlChannel> {
  const control = await import('../connection/control.js');
  return control.openControl(options);
}

/** The name of a server that the embedding program serves over stdin and stdout. */
export async function embeddedServer({ servers }: HostConfig): Promise<string | undefined> {
  const { transportOf } = await import('../config/entries/target.js');
  return servers.find((server) => server.standing.kind === 'ready' && transportOf(server) === 'sdk')?.name;
}
