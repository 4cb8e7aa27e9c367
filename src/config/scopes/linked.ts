import type { Scope } from '../scope.js';
import { NO_SERVERS } from '../entries/servers.js';

/** Servers that stay where another host keeps them: every load reads them anew, and nothing is ever written there. */
export const linked: Scope = {
  name: 'linked',
  label: "Linked config (other hosts' files, read live)",
  async read(reader) {
    if (reader.settings.links.length === 0) return NO_SERVERS;
    // A dozen formats that hardly anyone links: loaded by those who do.
    const { readLinks } = await import('../links.js');
    return readLinks(reader);
  },
};
