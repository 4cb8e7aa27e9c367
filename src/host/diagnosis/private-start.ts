import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { nameWord } from '../../base/shell-word.js';
import type { HostConfig } from '../../config/load.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { serverTargetOf } from '../../transports/kinds.js';

export interface PrivateStart {
  readonly server: ConfiguredServer;
  readonly loaded: Pick<HostConfig, 'trust' | 'context'>;
  /** What the server's process printed. */
  readonly stderr: string;
}

/** The remedy for a server that failed in a private folder, where it may miss a file of the working directory. */
export function remedyInPrivate(remedy: string, { server, loaded, stderr }: PrivateStart): string {
  if (server.startsInPrivateFolder !== true || !server.config || serverTargetOf(server.config).kind !== 'command')
    return remedy;
  const { trust, context } = loaded;
  const tryHere = `The server was started in a private folder, because ${trust.folder} is not trusted. To try it here: plugboard doctor ${nameWord(server.name)} --trust-folder`;
  // The missing module is in the working directory; a package of that name would be a stranger's.
  return isModuleOf(context.cwd, stderr) ? tryHere : `${remedy}. ${tryHere}`;
}

function isModuleOf(folder: string, stderr: string): boolean {
  const module = /No module named '?([A-Za-z_]\w*)/u.exec(stderr)?.[1];
  return module !== undefined && [module, `${module}.py`].some((name) => existsSync(join(folder, name)));
}
