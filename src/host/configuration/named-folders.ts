import { resolve } from 'node:path';
import { isFolder } from '../../edge/files/folders.js';
import { serverTargetOf, type ServerConfig } from '../../transports/kinds.js';

/**
 * Whether a server's command line names folders. Such a server has been told what it is for, and some (server-filesystem) forget it as soon
 * as a host tells them of other folders: these hear nothing of the project, unless their entry says so.
 */
export function namesFolders(config: ServerConfig, cwd: string): boolean {
  const target = serverTargetOf(config);
  if (target.kind !== 'command') return false;
  const { argv, cwd: own } = target;
  return argv.some((word, at) => {
    // What follows an option belongs to it: `uv --directory /srv/x run server`.
    const isOptions = at === 0 || (argv[at - 1]!.startsWith('-') && argv[at - 1] !== '--');
    return !isOptions && isFolder(resolve(cwd, own ?? '', word));
  });
}
