import { fileURLToPath } from 'node:url';
import { programOf } from '../../real-servers/installed-server.js';
import type { OpenedUpstream } from './upstreams.js';

/** A program of test/servers, which finds nothing but this machine and has a home of its own. */
export function installedProgram(
  packageName: string,
  {
    args = [],
    env,
    folder,
  }: { readonly args?: readonly string[]; readonly env?: OpenedUpstream['env']; readonly folder: string },
): OpenedUpstream {
  return {
    kind: 'stdio',
    args: [programOf({ packageName }), ...args],
    env: { HOME: folder, NODE_OPTIONS: `--require "${OFFLINE}"`, ...env },
  };
}

const OFFLINE = fileURLToPath(new URL('../../real-servers/offline.cjs', import.meta.url));
