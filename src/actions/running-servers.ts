import type { Connection } from '../connection/connection.js';
import type { Host } from '../host/host.js';
import { inside } from '../host/inside.js';

/** The servers of a host that run or are to, in the order of its configuration. */
export function runningServers(host: Host): readonly Connection[] {
  const names = new Set(host.servers().map(({ name }) => name));
  return [...names].flatMap((name) => host[inside].connection(name) ?? []);
}

/** Starts a lazy server for its first use. */
export function startIdle(server: Connection | undefined): void {
  if (server?.status.kind === 'idle') server.start('use');
}
