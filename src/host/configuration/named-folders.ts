import { resolve } from 'node:path';
import { isFolder } from '../../edge/files/folders.js';
import { serverTargetOf, type ServerConfig } from '../../transports/kinds.js';

/**
 * Whether a server's command line names folders. Some of these servers (server-filesystem) drop the named folders as
 * soon as a host declares roots, so they are not sent the project's roots unless their entry asks for it.
 */
export function namesFolders(config: ServerConfig, cwd: string): boolean {
  const target = serverTargetOf(config);
  if (target.kind !== 'command') return false;
  const { argv, cwd: own } = target;
  return argv.some((word, at) => {
    // The word after an option is the option's value: `uv --directory /srv/x run server`.
    const isOptions = at === 0 || (argv[at - 1]!.startsWith('-') && argv[at - 1] !== '--');
    return !isOptions && isFolder(resolve(cwd, own ?? '', word));
  });
}
