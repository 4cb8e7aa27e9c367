import { transportKindOf } from '../../transports/kinds.js';
import type { ConfiguredServer } from './server.js';

/** The restrictions of a server's sandbox: `on (no network, writes to data)`. Undefined without a sandbox. */
export function sandboxText({ config }: ConfiguredServer): string | undefined {
  const settings = config && transportKindOf(config).sandboxOf?.(config);
  if (!settings) return undefined;
  const { network = false, read = [], write = [], sockets = false, memoryMb, processes } = settings;
  const rules = [
    network ? 'network' : 'no network',
    ...(read.length === 0 ? [] : [`sees ${read.join(', ')}`]),
    write.length === 0 ? 'writes nowhere' : `writes to ${write.join(', ')}`,
    ...(sockets ? ['Unix sockets'] : []),
    ...(memoryMb === undefined ? [] : [`at most ${memoryMb} MB of memory`]),
    ...(processes === undefined ? [] : [`at most ${processes} processes`]),
  ];
  return `on (${rules.join(', ')})`;
}
